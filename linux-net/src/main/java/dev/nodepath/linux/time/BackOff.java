package dev.nodepath.linux.time;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The waits after failures in a row: each is twice as long as the one before, up to a limit.
 *
 * @param first the wait after the first failure, more than 0
 * @param max the longest wait, at least first
 */
public record BackOff(Duration first, Duration max) {
    private static final int DOUBLINGS_MAX = 30;

    public BackOff {
        check(!first.isNegative() && !first.isZero(), "first", first, "> 0");
        check(max.compareTo(first) >= 0, "max", max, ">= " + first);
    }

    /** The wait after this many failures in a row; zero after none. */
    public Duration after(int failures) {
        if (failures <= 0) {
            return Duration.ZERO;
        }
        Duration doubled = first.multipliedBy(1L << Math.min(failures - 1, DOUBLINGS_MAX));
        return doubled.compareTo(max) < 0 ? doubled : max;
    }

    /** The same less a random part, at most half: those that failed together do not all try again together. */
    public Duration after(int failures, RandomGenerator random) {
        long nanos = after(failures).toNanos();
        return Duration.ofNanos(nanos - (long) (random.nextDouble() * (nanos / 2.0)));
    }

    private static void check(boolean holds, String field, Duration was, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(field + ": " + was + " (expected: " + expected + ")");
        }
    }
}
