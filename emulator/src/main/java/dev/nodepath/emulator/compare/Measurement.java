package dev.nodepath.emulator.compare;

/**
 * What one mode did on one path in one round. Measurements of the same path and round were made one right after the other.
 *
 * @param mode direct, userspace or iptables
 * @param path from where to where, in words
 * @param round counted from 0, through all modes
 * @param requestsPerSecond over kept-alive connections
 * @param p50Micros median latency of those requests, in microseconds
 * @param p99Micros 99th percentile of the same
 * @param connectionsPerSecond with a new connection for each request
 * @param gigabitsPerSecond of one bulk stream
 */
public record Measurement(
        String mode,
        String path,
        int round,
        double requestsPerSecond,
        double p50Micros,
        double p99Micros,
        double connectionsPerSecond,
        double gigabitsPerSecond) {}
