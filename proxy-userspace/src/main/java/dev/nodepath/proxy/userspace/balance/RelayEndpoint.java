package dev.nodepath.proxy.userspace.balance;

import dev.nodepath.proxy.userspace.metrics.DialTimes;
import dev.nodepath.proxy.userspace.metrics.EndpointCounts;
import dev.nodepath.proxy.userspace.metrics.TrafficCounter;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** An endpoint of one service port: what it carries, and whether it has failed lately. For any thread. */
public final class RelayEndpoint {
    /** Failures in a row after which it is left out for a while. */
    public static final int FAILURES_MAX = 3;

    /** How long it is left out. Then the next failure leaves it out again, and a success clears it. */
    static final long EJECTION_NANOS = 10_000_000_000L;

    private final InetSocketAddress address;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger dialling = new AtomicInteger();
    private final AtomicInteger failuresInRow = new AtomicInteger();
    private final TrafficCounter own = new TrafficCounter();

    /** That of all endpoints of the service port, those that are gone included. */
    private final TrafficCounter service;

    private final DialTimes dialTimes = new DialTimes();
    private volatile boolean ejected;
    private volatile long ejectedUntilNanos;

    public RelayEndpoint(InetSocketAddress address, TrafficCounter service) {
        this.address = address;
        this.service = service;
    }

    public InetSocketAddress address() {
        return address;
    }

    /** Connections or flows that are open now. */
    int active() {
        return active.get();
    }

    /** Those, and the dials under way. */
    public int load() {
        return active.get() + dialling.get();
    }

    public void dialling() {
        dialling.incrementAndGet();
    }

    /** A dial is over, whatever came of it. */
    public void dialled() {
        dialling.decrementAndGet();
    }

    /** A connection has come about. */
    void connected(long dialNanos) {
        answered();
        opened();
        dialTimes.add(dialNanos);
    }

    /** A flow begins, or a connection. Nobody has answered a flow yet. */
    void opened() {
        own.opened.increment();
        service.opened.increment();
        active.incrementAndGet();
    }

    /** It lives, so what failed before counts no more. */
    public void answered() {
        if (failuresInRow.get() != 0) {
            failuresInRow.set(0);
            ejected = false;
        }
    }

    public void closed() {
        active.decrementAndGet();
    }

    /** A try has failed. Returns whether the endpoint is left out from now on and was not before. */
    boolean failed(long nowNanos) {
        own.failed.increment();
        service.failed.increment();
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

    public void addBytesFromClient(long count) {
        own.bytesFromClients.add(count);
        service.bytesFromClients.add(count);
    }

    public void addBytesToClient(long count) {
        own.bytesToClients.add(count);
        service.bytesToClients.add(count);
    }

    EndpointCounts counts() {
        return new EndpointCounts(
                address,
                own.counts(),
                active.get(),
                ejected && failuresInRow.get() >= FAILURES_MAX,
                dialTimes.counts());
    }

    @Override
    public String toString() {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
