package dev.nodepath.linux;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what the kernel does a little later. */
public final class Eventually {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Eventually() {}

    /** Waits until it holds; fails after half a minute. */
    public static void isTrue(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not in " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
