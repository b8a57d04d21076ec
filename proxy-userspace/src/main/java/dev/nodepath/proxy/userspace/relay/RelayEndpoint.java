package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.proxy.userspace.metrics.DialTimes;
import dev.nodepath.proxy.userspace.metrics.EndpointCounts;
import dev.nodepath.proxy.userspace.metrics.TrafficCounter;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** An endpoint of one service port, with its traffic and its recent failures. Thread-safe. */
public final class RelayEndpoint {
    /** An endpoint is ejected after this many failures in a row. */
    public static final int FAILURES_MAX = 3;

    /** How long it stays ejected. After that, one more failure ejects it again, and a success clears it. */
    static final long EJECTION_NANOS = 10_000_000_000L;

    private final InetSocketAddress address;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger dialling = new AtomicInteger();
    private final AtomicInteger failuresInRow = new AtomicInteger();
    private final TrafficCounter own = new TrafficCounter();

    /** The traffic of all endpoints of the service port, including removed ones. */
    private final TrafficCounter service;

    private final DialTimes dialTimes = new DialTimes();
    private volatile boolean ejected;
    private volatile long ejectedUntilNanos;

    /** An endpoint without connections. The counter of its service port counts with it. */
    public RelayEndpoint(InetSocketAddress address, TrafficCounter service) {
        this.address = address;
        this.service = service;
    }

    /** The address that relays dial. */
    public InetSocketAddress address() {
        return address;
    }

    /** Open connections or flows. */
    int active() {
        return active.get();
    }

    /** Open connections or flows, and dials in progress. */
    public int load() {
        return active.get() + dialling.get();
    }

    /** A dial has started. */
    public void dialling() {
        dialling.incrementAndGet();
    }

    /** A dial has ended, with success or without. */
    public void dialled() {
        dialling.decrementAndGet();
    }

    /** A connection is established. */
    void connected(long dialNanos) {
        answered();
        opened();
        dialTimes.add(dialNanos);
    }

    /** A flow or connection has opened. A flow has no answer yet. */
    void opened() {
        own.opened.increment();
        service.opened.increment();
        active.incrementAndGet();
    }

    /** The endpoint has answered. Earlier failures no longer count. */
    public void answered() {
        if (failuresInRow.get() != 0) {
            failuresInRow.set(0);
            ejected = false;
        }
    }

    /** A connection or flow has ended. */
    public void closed() {
        active.decrementAndGet();
    }

    /** A dial has failed. Returns whether this failure has ejected the endpoint. */
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

    /** Whether new connections avoid the endpoint at this time. */
    boolean isEjected(long nowNanos) {
        return ejected && nowNanos - ejectedUntilNanos < 0;
    }

    /** Counts payload bytes from a client. */
    public void addBytesFromClient(long count) {
        own.bytesFromClients.add(count);
        service.bytesFromClients.add(count);
    }

    /** Counts payload bytes to a client. */
    public void addBytesToClient(long count) {
        own.bytesToClients.add(count);
        service.bytesToClients.add(count);
    }

    EndpointCounts counts() {
        return new EndpointCounts(address, own.counts(), active.get(), dialTimes.counts());
    }

    @Override
    public String toString() {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
