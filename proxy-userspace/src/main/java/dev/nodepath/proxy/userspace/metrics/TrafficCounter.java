package dev.nodepath.proxy.userspace.metrics;

import java.util.concurrent.atomic.LongAdder;

/** Counts what goes somewhere. Counting takes no lock. */
public final class TrafficCounter {
    public final LongAdder opened = new LongAdder();
    public final LongAdder failed = new LongAdder();
    public final LongAdder bytesFromClients = new LongAdder();
    public final LongAdder bytesToClients = new LongAdder();

    public TrafficCounts counts() {
        return new TrafficCounts(opened.sum(), failed.sum(), bytesFromClients.sum(), bytesToClients.sum());
    }
}
