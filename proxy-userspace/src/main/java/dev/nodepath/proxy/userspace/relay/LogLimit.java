package dev.nodepath.proxy.userspace.relay;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Limits a log event to one line in each interval, so that clients cannot fill the log. */
final class LogLimit {
    /** The time between two lines of the same event. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private final AtomicLong nextNanos;

    LogLimit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /** Whether the caller may log now. */
    boolean allows() {
        long now = nanoTime.getAsLong();
        long next = nextNanos.get();
        return now - next >= 0 && nextNanos.compareAndSet(next, now + INTERVAL.toNanos());
    }
}
