package dev.nodepath.bench.load;

import org.HdrHistogram.Histogram;

/**
 * When each request of an open loop is due, and how late its answer came. A latency counts from when the request was due, not
 * from when it was sent: what waits behind a slow answer is slow too, and a generator that leaves it out (a closed loop does)
 * hides just the moments that matter. Not for several threads.
 */
final class OpenLoopSchedule {
    private static final int DIGITS = 3;

    private final long startNanos;
    private final double nanosBetween;
    private final long requests;
    private final Histogram latency;
    private long next;

    /**
     * A schedule of evenly spaced requests.
     *
     * @param startNanos when the first is due
     * @param perSecond how many a second
     * @param requests how many in all
     * @param latencyMaxNanos what a longer latency is recorded as
     */
    OpenLoopSchedule(long startNanos, double perSecond, long requests, long latencyMaxNanos) {
        this.startNanos = startNanos;
        this.nanosBetween = 1e9 / perSecond;
        this.requests = requests;
        this.latency = new Histogram(latencyMaxNanos, DIGITS);
    }

    /** How long until the next request is due; 0 or less if one is, {@link Long#MAX_VALUE} if all have been taken. */
    long nanosUntilDue(long nowNanos) {
        return next == requests ? Long.MAX_VALUE : dueNanos(next) - nowNanos;
    }

    /** Takes the next request and answers when it was due. */
    long take() {
        return dueNanos(next++);
    }

    /** The answer of a request that was due then has come. */
    void answered(long dueNanos, long nowNanos) {
        latency.recordValue(Math.min(Math.max(0, nowNanos - dueNanos), latency.getHighestTrackableValue()));
    }

    /**
     * Gives up what was never sent: each took at least until now.
     *
     * @return how many those are
     */
    long giveUp(long nowNanos) {
        long left = requests - next;
        while (next < requests) {
            answered(take(), nowNanos);
        }
        return left;
    }

    /** Of all requests that were answered or given up, in nanoseconds. */
    Histogram latency() {
        return latency;
    }

    private long dueNanos(long request) {
        return startNanos + (long) (request * nanosBetween);
    }
}
