package dev.nodepath.proxy.userspace.metrics;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/** A histogram of the durations of successful dials. Thread-safe. */
public final class DialTimes {
    /** The upper bounds of the buckets, in microseconds; one more bucket holds the rest. */
    public static final List<Long> BOUNDS_MICROS =
            List.of(100L, 250L, 500L, 1_000L, 2_500L, 5_000L, 10_000L, 50_000L, 250_000L, 1_000_000L, 4_000_000L);

    private final AtomicLongArray buckets = new AtomicLongArray(BOUNDS_MICROS.size() + 1);

    /** An empty histogram. */
    public DialTimes() {}

    /** Counts a dial of this duration, in nanoseconds. */
    public void add(long nanos) {
        long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
        int bucket = 0;
        while (bucket < BOUNDS_MICROS.size() && micros > BOUNDS_MICROS.get(bucket)) {
            bucket++;
        }
        buckets.incrementAndGet(bucket);
    }

    /** The counts of the buckets. */
    public List<Long> counts() {
        return LongStream.range(0, buckets.length())
                .map(i -> buckets.get((int) i))
                .boxed()
                .toList();
    }
}
