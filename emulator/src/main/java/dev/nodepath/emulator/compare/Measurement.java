package dev.nodepath.emulator.compare;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one mode did on one path.
 *
 * @param mode direct, userspace or iptables
 * @param path from where to where, in words
 * @param answers how many new connections each pod answered
 * @param sources how many times each source address was seen by a pod
 * @param requestsPerSecond over kept-alive connections
 * @param p50Micros median latency of those requests, in microseconds
 * @param p99Micros 99th percentile of the same
 * @param connectionsPerSecond with a new connection for each request
 * @param gigabitsPerSecond of one bulk stream
 * @param errors requests that failed during the measurements
 */
public record Measurement(
        String mode,
        String path,
        SortedMap<String, Integer> answers,
        SortedMap<String, Integer> sources,
        double requestsPerSecond,
        double p50Micros,
        double p99Micros,
        double connectionsPerSecond,
        double gigabitsPerSecond,
        long errors) {

    /** Copies the maps. */
    public Measurement {
        answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
        sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
    }
}
