package dev.nodepath.agent.parts;

import java.time.Duration;

/** Is told what becomes of parts, on their threads. */
@FunctionalInterface
public interface PartListener {
    /** A part has failed and will be begun again after the wait. */
    void failed(String part, Throwable error, Duration retryIn);
}
