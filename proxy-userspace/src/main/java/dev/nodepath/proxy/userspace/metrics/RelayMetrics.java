package dev.nodepath.proxy.userspace.metrics;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The counters and gauges of the relay since its start. Counting takes no lock. Thread-safe. */
public final class RelayMetrics {
    /** TCP connections that are open, and those that are still dialling. */
    public final AtomicInteger active = new AtomicInteger();
    /** UDP flows that are open. */
    public final AtomicInteger flowsActive = new AtomicInteger();

    private final LongAdder[] counts =
            Stream.generate(LongAdder::new).limit(RelayCount.values().length).toArray(LongAdder[]::new);

    /** Adds one. */
    public void increment(RelayCount count) {
        adder(count).increment();
    }

    /** Adds a number that is not negative. */
    public void add(RelayCount count, long number) {
        adder(count).add(number);
    }

    /** The value of a counter. */
    public long of(RelayCount count) {
        return adder(count).sum();
    }

    @SuppressWarnings("EnumOrdinal") // An index into an array of this class, for the data path.
    private LongAdder adder(RelayCount count) {
        return counts[count.ordinal()];
    }
}
