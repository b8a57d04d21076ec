package dev.nodepath.endpoints.sync;

import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;

/** Receives the results of a {@link ConntrackCleaner}, on its thread. */
public interface ConntrackCleanerListener {
    /** Does nothing. */
    ConntrackCleanerListener NONE = new ConntrackCleanerListener() {};

    /** A run for one family succeeded. */
    default void cleaned(IpFamily family, int removed, Duration duration) {}

    /** A run failed. It is tried again soon. */
    default void failed(IpFamily family) {}
}
