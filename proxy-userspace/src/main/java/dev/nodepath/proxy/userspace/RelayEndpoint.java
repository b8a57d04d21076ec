package dev.nodepath.proxy.userspace;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** An endpoint of one service port: what it carries, and whether it has failed lately. For any thread. */
final class RelayEndpoint {
    /** Failures in a row after which it is left out for a while. */
    static final int FAILURES_MAX = 3;

    /** How long it is left out. Then the next failure leaves it out again, and a success clears it. */
    static final long EJECTION_NANOS = 10_000_000_000L;

    private final InetSocketAddress address;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger failuresInRow = new AtomicInteger();
    private final LongAdder opened = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder bytesFromClients = new LongAdder();
    private final LongAdder bytesToClients = new LongAdder();
    private final DialTimes dialTimes = new DialTimes();
    private volatile boolean ejected;
    private volatile long ejectedUntilNanos;

    RelayEndpoint(InetSocketAddress address) {
        this.address = address;
    }

    InetSocketAddress address() {
        return address;
    }

    /** Connections or flows that are open now. */
    int active() {
        return active.get();
    }

    /** A connection has come about. */
    void opened(long dialNanos) {
        failuresInRow.set(0);
        ejected = false;
        opened.increment();
        active.incrementAndGet();
        dialTimes.add(dialNanos);
    }

    void closed() {
        active.decrementAndGet();
    }

    /** A try has failed. Returns whether the endpoint is left out from now on and was not before. */
    boolean failed(long nowNanos) {
        failed.increment();
        if (failuresInRow.incrementAndGet() < FAILURES_MAX) {
            return false;
        }
        boolean first = !isEjected(nowNanos);
        ejectedUntilNanos = nowNanos + EJECTION_NANOS;
        ejected = true;
        return first;
    }

    boolean isEjected(long nowNanos) {
        return ejected && nowNanos - ejectedUntilNanos < 0;
    }

    void addBytesFromClient(long count) {
        bytesFromClients.add(count);
    }

    void addBytesToClient(long count) {
        bytesToClients.add(count);
    }

    EndpointCounts counts() {
        return new EndpointCounts(
                address,
                opened.sum(),
                active.get(),
                failed.sum(),
                bytesFromClients.sum(),
                bytesToClients.sum(),
                ejected && failuresInRow.get() >= FAILURES_MAX,
                dialTimes.counts());
    }

    @Override
    public String toString() {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
