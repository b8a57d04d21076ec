package dev.nodepath.agent.parts;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The clock of parts. Tests use one that they advance. */
public interface PartTime {
    /** The system's. */
    PartTime SYSTEM = new PartTime() {
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

    /** Waits for a latch, for a limited time; whether it is open. */
    boolean await(CountDownLatch latch, Duration limit) throws InterruptedException;
}
