package dev.nodepath.agent.metrics;

import java.time.Duration;
import java.time.Instant;

/** Time as Prometheus has it. */
final class Seconds {
    private Seconds() {}

    static double of(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    /** The seconds since 1970. */
    static double of(Instant time) {
        return time.toEpochMilli() / 1e3;
    }
}
