package dev.nodepath.bench.policy;

import org.HdrHistogram.Histogram;

/** Times of one round. */
final class Latencies {
    private static final int DIGITS = 3;

    private final Histogram micros = new Histogram(DIGITS);

    void add(double millis) {
        micros.recordValue(Math.max(0, Math.round(millis * 1e3)));
    }

    /** The time that so many of a hundred did not exceed. */
    double millis(int percent) {
        return micros.getValueAtPercentile(percent) / 1e3;
    }
}
