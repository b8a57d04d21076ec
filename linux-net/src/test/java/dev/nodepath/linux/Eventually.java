package dev.nodepath.linux;

import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition that the kernel, a thread or a process fulfils a little later. */
public final class Eventually {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private Eventually() {}

    /** Waits until it holds; fails after five minutes. */
    public static void isTrue(String what, Callable<Boolean> condition) {
        isTrue(LIMIT, () -> what, condition);
    }

    /** Waits until the condition holds; fails after five minutes with a description of the wait, such as a log. */
    public static void isTrue(Callable<String> what, Callable<Boolean> condition) {
        isTrue(LIMIT, what, condition);
    }

    /**
     * Waits until it holds. A pause is nine times as long as the condition took, from 5 ms to a second.
     *
     * @param what a description of the wait, such as a log; asked only after a failure
     * @param condition a {@link NoSuchElementException} of it means "not yet": a value was read before its time. The
     *     last exception is the cause of the failure
     * @throws AssertionError after the limit, or when the condition throws another exception
     */
    public static void isTrue(Duration limit, Callable<String> what, Callable<Boolean> condition) {
        long start = System.nanoTime();
        Optional<NoSuchElementException> missing;
        try {
            for (long looked = start; ; looked = System.nanoTime()) {
                try {
                    if (condition.call()) {
                        return;
                    }
                    missing = Optional.empty();
                } catch (NoSuchElementException e) {
                    missing = Optional.of(e);
                }
                long now = System.nanoTime();
                if (now - start > limit.toNanos()) {
                    AssertionError late = new AssertionError("not in " + limit.toSeconds() + " s: " + what.call());
                    missing.ifPresent(late::initCause);
                    throw late;
                }
                LockSupport.parkNanos(Math.min(Math.max(9 * (now - looked), PAUSE_NANOS_MIN), PAUSE_NANOS_MAX));
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } catch (Exception e) {
            throw new AssertionError(e.toString(), e);
        }
    }
}
