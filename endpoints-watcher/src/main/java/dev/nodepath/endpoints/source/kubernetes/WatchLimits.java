package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The limits of lists and watches.
 *
 * @param pageSize objects of a page, at least 1
 * @param answer the longest wait for the start of an answer, and for the next bytes of a list
 * @param silence the longest time without an event on a watch; a server sends a bookmark at least every 75 s
 * @param watch the shortest requested duration of a watch; the server ends it after up to twice that
 * @param retry the upper limits of the waits after failures; the first is also the least time between the starts of two
 *     watches
 * @param nodeWait the longest wait of the first snapshot for this node's Node, after all else is listed
 */
public record WatchLimits(
        int pageSize, Duration answer, Duration silence, Duration watch, BackOff retry, Duration nodeWait) {
    /** The limits in production. Pages and waits are those of client-go. */
    public static final WatchLimits DEFAULT = new WatchLimits(
            500,
            Duration.ofSeconds(30),
            Duration.ofSeconds(85),
            Duration.ofSeconds(300),
            new BackOff(Duration.ofMillis(800), Duration.ofSeconds(30)),
            Duration.ofSeconds(30));

    /** Checks that a page holds at least one object. */
    public WatchLimits {
        if (pageSize < 1) {
            throw new IllegalArgumentException("pageSize: " + pageSize + " (expected: >= 1)");
        }
    }

    /** The same with another longest wait. */
    WatchLimits withRetryMax(Duration longest) {
        return new WatchLimits(pageSize, answer, silence, watch, new BackOff(retry.first(), longest), nodeWait);
    }

    /** A random duration for a watch to request, in whole seconds. */
    long watchSeconds(RandomGenerator random) {
        return Math.max(1, (long) (watch.toSeconds() * (1 + random.nextDouble())));
    }
}
