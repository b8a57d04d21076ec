package dev.nodepath.endpoints.sync;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A scheduler with the system's time and a daemon thread of its own. */
public final class ThreadScheduler implements Scheduler {
    /** How long closing waits for the running task before it interrupts the task. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

    /** The wait for an interrupted task at closing, as its resources will be used or closed next. */
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofSeconds(2);

    private final InstantSource clock;
    private final Duration closeTimeout;
    private final ScheduledThreadPoolExecutor executor;

    /** A scheduler whose thread has this name. */
    public ThreadScheduler(String threadName, InstantSource clock) {
        this(threadName, clock, CLOSE_TIMEOUT);
    }

    ThreadScheduler(String threadName, InstantSource clock, Duration closeTimeout) {
        this.clock = clock;
        this.closeTimeout = closeTimeout;
        this.executor = new ScheduledThreadPoolExecutor(
                1,
                task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Runnable schedule(Duration delay, Runnable task) {
        Future<?> future = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public void close() {
        executor.shutdown();
        boolean interrupted = false;
        try {
            interrupted = !ends(closeTimeout) && interruptTask();
        } catch (InterruptedException e) {
            interrupted = true;
            interruptTask();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether this thread was interrupted meanwhile. */
    private boolean interruptTask() {
        executor.shutdownNow();
        try {
            ends(INTERRUPT_TIMEOUT);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private boolean ends(Duration limit) throws InterruptedException {
        return executor.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
