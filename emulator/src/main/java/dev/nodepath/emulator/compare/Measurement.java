package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.traffic.HttpLoad;

/**
 * The figures of one mode on one path in one round. Measurements of the same path and round were made one right after
 * the other. A figure is NaN if its load failed in part.
 *
 * @param mode direct, userspace, iptables or nftables
 * @param path from where to where, in words
 * @param round counted from 0, through all modes
 * @param requestsPerSecond over kept-alive connections
 * @param p50Micros median latency of those requests, in microseconds
 * @param p99Micros 99th percentile of the same
 * @param connectionsPerSecond with a new connection for each request
 * @param gigabitsPerSecond of one bulk stream
 */
record Measurement(
        String mode,
        String path,
        int round,
        double requestsPerSecond,
        double p50Micros,
        double p99Micros,
        double connectionsPerSecond,
        double gigabitsPerSecond) {

    /** Makes the figures of a load with a failed request NaN: a refusal or a timeout changes the rate. */
    static Measurement of(
            String mode,
            String path,
            int round,
            HttpLoad.Result keptAlive,
            HttpLoad.Result opened,
            double gigabitsPerSecond) {
        boolean kept = succeeded(keptAlive);
        return new Measurement(
                mode,
                path,
                round,
                kept ? keptAlive.perSecond() : Double.NaN,
                kept ? keptAlive.latencyMicros(50) : Double.NaN,
                kept ? keptAlive.latencyMicros(99) : Double.NaN,
                succeeded(opened) ? opened.perSecond() : Double.NaN,
                gigabitsPerSecond);
    }

    /** Whether there were requests, and none failed. */
    static boolean succeeded(HttpLoad.Result load) {
        return load.errors() == 0 && load.requests() > 0;
    }
}
