package dev.nodepath.endpoints.source.kubernetes;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The limits of lists and watches.
 *
 * @param pageSize objects of a page, at least 1
 * @param answer the longest wait for the start of an answer, and for the next bytes of a list
 * @param silence the longest time without an event on a watch; a server sends a bookmark at least every 75 s
 * @param watch the shortest requested duration of a watch; the server ends it after up to twice that
 * @param backoffMin the upper limit of the first wait after a failure, and the least time between the starts of two
 *     watches
 * @param backoffMax the upper limit of every wait after a failure
 * @param nodeWait the longest wait of the first snapshot for this node's Node, after all else is listed
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

    /** Checks that a page holds at least one object. */
    public WatchLimits {
        if (pageSize < 1) {
            throw new IllegalArgumentException("pageSize: " + pageSize + " (expected: >= 1)");
        }
    }

    /** A copy with another backoffMax. */
    WatchLimits withBackoffMax(Duration longest) {
        return new WatchLimits(pageSize, answer, silence, watch, backoffMin, longest, nodeWait);
    }

    /**
     * The wait after this many failures in a row. It doubles from backoffMin up to backoffMax. A random part, at most
     * half, is then subtracted, so that nodes that lost a server together do not reconnect together.
     */
    Duration backoff(int failures, RandomGenerator random) {
        int doublings = Math.max(0, Math.min(failures - 1, MAX_DOUBLINGS));
        Duration doubled = backoffMin.multipliedBy(1L << doublings);
        long nanos = (doubled.compareTo(backoffMax) < 0 ? doubled : backoffMax).toNanos();
        return Duration.ofNanos(nanos - (long) (random.nextDouble() * (nanos / 2.0)));
    }

    /** A random duration for a watch to request, in whole seconds. */
    long watchSeconds(RandomGenerator random) {
        return Math.max(1, (long) (watch.toSeconds() * (1 + random.nextDouble())));
    }
}
