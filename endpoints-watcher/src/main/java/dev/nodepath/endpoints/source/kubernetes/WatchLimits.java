package dev.nodepath.endpoints.source.kubernetes;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The limits of lists and watches.
 *
 * @param pageSize objects of a page, at least 1
 * @param answer how long an answer may take to begin, and a list to pause
 * @param silence how long a watch may be silent. A server sends a bookmark every 75 s at the latest
 * @param watch the shortest requested duration of a watch; the server ends it after up to twice that
 * @param backoffMin the longest first wait after a failure, and the least time from the start of a watch to the next
 * @param backoffMax the longest wait after many failures
 * @param nodeWait how long the first snapshot waits for the Node, after everything else is listed
 */
public record WatchLimits(
        int pageSize,
        Duration answer,
        Duration silence,
        Duration watch,
        Duration backoffMin,
        Duration backoffMax,
        Duration nodeWait) {
    /** The limits in production. Pages and waits are those of client-go. */
    public static final WatchLimits DEFAULT = new WatchLimits(
            500,
            Duration.ofSeconds(30),
            Duration.ofSeconds(85),
            Duration.ofSeconds(300),
            Duration.ofMillis(800),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30));

    private static final int MAX_DOUBLINGS = 20;

    /** Checks that a page has room for an object. */
    public WatchLimits {
        if (pageSize < 1) {
            throw new IllegalArgumentException("pageSize: " + pageSize + " (expected: >= 1)");
        }
    }

    /** These limits with another backoffMax. */
    WatchLimits withBackoffMax(Duration longest) {
        return new WatchLimits(pageSize, answer, silence, watch, backoffMin, longest, nodeWait);
    }

    /**
     * The wait after so many failures in a row: it doubles from backoffMin to backoffMax, and is then shortened at random
     * by up to a half, so that nodes which lost their server together do not come back together.
     */
    Duration backoff(int failures, RandomGenerator random) {
        int doublings = Math.max(0, Math.min(failures - 1, MAX_DOUBLINGS));
        Duration doubled = backoffMin.multipliedBy(1L << doublings);
        long nanos = (doubled.compareTo(backoffMax) < 0 ? doubled : backoffMax).toNanos();
        return Duration.ofNanos(nanos - (long) (random.nextDouble() * (nanos / 2.0)));
    }

    /** The requested duration of a watch, in whole seconds, at random. */
    long watchSeconds(RandomGenerator random) {
        return Math.max(1, (long) (watch.toSeconds() * (1 + random.nextDouble())));
    }
}
