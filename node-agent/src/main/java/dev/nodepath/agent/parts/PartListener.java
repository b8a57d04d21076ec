package dev.nodepath.agent.parts;

import java.time.Duration;

/** Hears of failures of parts, on their threads. */
@FunctionalInterface
public interface PartListener {
    /** A part has failed and restarts after the wait. */
    void failed(String part, Throwable error, Duration retryIn);
}
