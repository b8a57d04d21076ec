package dev.nodepath.endpoints.sync;

import java.time.Duration;
import java.time.Instant;

/** Time, and one thread that does things later. Tests have one whose time they move themselves. */
public interface Scheduler extends AutoCloseable {

    /** The wall clock. */
    Instant now();

    /** Nanoseconds since an arbitrary moment; they never go back. */
    long nanoTime();

    /**
     * Runs the task once the delay has passed, unless the scheduler is closed by then. Tasks run one at a time, in the order in
     * which they are due.
     *
     * @return takes the task back if it has not begun
     */
    Runnable schedule(Duration delay, Runnable task);

    /** Drops what has not begun and waits for the task that runs. */
    @Override
    void close();
}
