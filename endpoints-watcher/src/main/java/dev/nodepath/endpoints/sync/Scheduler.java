package dev.nodepath.endpoints.sync;

import java.time.Duration;
import java.time.Instant;

/** A clock, and one thread that runs tasks later. Tests have a scheduler with a clock that they set. */
public interface Scheduler extends AutoCloseable {

    /** The wall clock. */
    Instant now();

    /** Nanoseconds since an arbitrary moment; they never go back. */
    long nanoTime();

    /**
     * Runs a task after a delay, unless the scheduler is closed before. Tasks run one at a time, in the order of their
     * due times.
     *
     * @return cancels the task, if it has not begun
     */
    Runnable schedule(Duration delay, Runnable task);

    /** Drops tasks that have not begun, and waits for the running one. */
    @Override
    void close();
}
