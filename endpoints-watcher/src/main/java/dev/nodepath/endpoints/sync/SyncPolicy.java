package dev.nodepath.endpoints.sync;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often a proxy is synced.
 *
 * @param minInterval from the end of a sync to the start of the next, 0 or more ({@code minSyncPeriod})
 * @param retryMin the wait after the first failure, more than 0
 * @param retryMax the longest wait after a failure, at least retryMin
 * @param syncPeriod the longest time from the end of a sync to the start of the next, even without changes; at least
 *     minInterval; empty for no limit
 */
public record SyncPolicy(Duration minInterval, Duration retryMin, Duration retryMax, Optional<Duration> syncPeriod) {
    /** The intervals of kube-proxy, and a retry that starts sooner than its 30 s. */
    public static final SyncPolicy DEFAULT = new SyncPolicy(
            Duration.ofSeconds(1), Duration.ofMillis(200), Duration.ofSeconds(30), Optional.of(Duration.ofSeconds(30)));

    private static final int MAX_DOUBLINGS = 30;

    /** Checks the bounds. */
    public SyncPolicy {
        check(!minInterval.isNegative(), "minInterval", minInterval, ">= 0");
        check(!retryMin.isNegative() && !retryMin.isZero(), "retryMin", retryMin, "> 0");
        check(retryMax.compareTo(retryMin) >= 0, "retryMax", retryMax, ">= " + retryMin);
        syncPeriod.ifPresent(period -> {
            check(!period.isNegative() && !period.isZero(), "syncPeriod", period, "> 0");
            check(period.compareTo(minInterval) >= 0, "syncPeriod", period, ">= the least, " + minInterval);
        });
    }

    /**
     * The wait after this many failures in a row. It doubles from retryMin up to retryMax. A random part, at most half,
     * is then subtracted, so that proxies that failed together do not retry together.
     */
    Duration backoff(int failures, RandomGenerator random) {
        Duration doubled = retryMin.multipliedBy(1L << Math.min(failures - 1, MAX_DOUBLINGS));
        long nanos = (doubled.compareTo(retryMax) < 0 ? doubled : retryMax).toNanos();
        return Duration.ofNanos(nanos - (long) (random.nextDouble() * (nanos / 2.0)));
    }

    private static void check(boolean holds, String field, Duration was, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(field + ": " + was + " (expected: " + expected + ")");
        }
    }
}
