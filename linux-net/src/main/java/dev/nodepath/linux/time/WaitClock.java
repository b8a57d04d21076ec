package dev.nodepath.linux.time;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A monotonic clock, and waits that follow it. Tests have a clock that they move by hand. Thread-safe. */
public interface WaitClock {
    /** The clock of the machine. */
    WaitClock SYSTEM = new WaitClock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public boolean await(CountDownLatch latch, Duration limit) throws InterruptedException {
            return latch.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        }
    };

    /** Nanoseconds since an arbitrary moment; they never go back. */
    long nanos();

    /** Waits until a latch is open, or until the limit. Returns whether the latch is open. */
    boolean await(CountDownLatch latch, Duration limit) throws InterruptedException;
}
