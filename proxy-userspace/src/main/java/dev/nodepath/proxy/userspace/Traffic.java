package dev.nodepath.proxy.userspace;

import java.util.concurrent.atomic.LongAdder;

/** Counts what goes somewhere. Counting takes no lock. */
final class Traffic {
    final LongAdder opened = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder bytesFromClients = new LongAdder();
    final LongAdder bytesToClients = new LongAdder();

    TrafficCounts counts() {
        return new TrafficCounts(opened.sum(), failed.sum(), bytesFromClients.sum(), bytesToClients.sum());
    }
}
