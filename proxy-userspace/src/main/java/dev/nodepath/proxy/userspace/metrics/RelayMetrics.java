package dev.nodepath.proxy.userspace.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The counters and gauges of the relay since its start. Counting takes no lock. Thread-safe. */
public final class RelayMetrics {
    /** TCP connections that are open, and those that are still dialling. */
    public final AtomicInteger active = new AtomicInteger();
    /** UDP flows that are open. */
    public final AtomicInteger flowsActive = new AtomicInteger();

    private final Map<RelayCount, LongAdder> counts = new EnumMap<>(RelayCount.class);

    /** All counters are zero. */
    public RelayMetrics() {
        for (RelayCount count : RelayCount.values()) {
            counts.put(count, new LongAdder());
        }
    }

    /** Adds one. */
    public void increment(RelayCount count) {
        counter(count).increment();
    }

    /** Adds a number that is not negative. */
    public void add(RelayCount count, long number) {
        counter(count).add(number);
    }

    /** The value of a counter. */
    public long of(RelayCount count) {
        return counter(count).sum();
    }

    private LongAdder counter(RelayCount count) {
        return Objects.requireNonNull(counts.get(count));
    }
}
