package dev.nodepath.proxy.userspace.metrics;

import java.util.concurrent.atomic.LongAdder;

/** Counts the traffic of an endpoint or service port. Counting takes no lock. Thread-safe. */
public final class TrafficCounter {
    /** Connections and flows that were opened. */
    public final LongAdder opened = new LongAdder();
    /** Dials that failed. */
    public final LongAdder failed = new LongAdder();
    /** Payload bytes that clients have sent. */
    public final LongAdder bytesFromClients = new LongAdder();
    /** Payload bytes that endpoints have sent. */
    public final LongAdder bytesToClients = new LongAdder();

    /** The values at about one moment. */
    public TrafficCounts counts() {
        return new TrafficCounts(opened.sum(), failed.sum(), bytesFromClients.sum(), bytesToClients.sum());
    }
}
