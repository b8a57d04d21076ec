package dev.nodepath.bench.testbed;

import org.HdrHistogram.Histogram;

/**
 * The due times of an open loop's requests, and the latency of each answer. A latency counts from the due time, not
 * from the time of sending: a request that waits behind a slow answer is slow too. A closed loop does not
 * count this wait, so it hides the slowest moments. Not thread-safe.
 */
public final class OpenLoopLatencies {
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
     * @param latencyMaxNanos the largest latency that is recorded; a longer one counts as this
     */
    OpenLoopLatencies(long startNanos, double perSecond, long requests, long latencyMaxNanos) {
        this.startNanos = startNanos;
        this.nanosBetween = 1e9 / perSecond;
        this.requests = requests;
        this.latency = new Histogram(latencyMaxNanos, DIGITS);
    }

    /** How long until the next request is due; 0 or less if one is, {@link Long#MAX_VALUE} if all have been taken. */
    long nanosUntilDue(long nowNanos) {
        return next == requests ? Long.MAX_VALUE : dueNanos(next) - nowNanos;
    }

    /** Takes the next request and returns when it was due. */
    long take() {
        return dueNanos(next++);
    }

    /** Records the answer of a request that was due then. */
    void answered(long dueNanos, long nowNanos) {
        latency.recordValue(Math.min(Math.max(0, nowNanos - dueNanos), latency.getHighestTrackableValue()));
    }

    /**
     * Gives up the requests that were never sent; the latency of each is at least the time until now.
     *
     * @return their number
     */
    long giveUp(long nowNanos) {
        long left = requests - next;
        while (next < requests) {
            answered(take(), nowNanos);
        }
        return left;
    }

    /** The number of requests that were answered or given up. */
    public long count() {
        return latency.getTotalCount();
    }

    /**
     * A percentile of the latencies, in milliseconds.
     *
     * @param percentile 0 to 100; 100 is the longest latency
     */
    public double millis(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1e6;
    }

    private long dueNanos(long request) {
        return startNanos + (long) (request * nanosBetween);
    }
}
