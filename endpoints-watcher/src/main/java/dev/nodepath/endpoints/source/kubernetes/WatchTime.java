package dev.nodepath.endpoints.source.kubernetes;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The time that passes between tries, which tests let pass at once. Thread-safe. */
interface WatchTime {
    /** That of the machine. */
    WatchTime SYSTEM = new WatchTime() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public boolean await(CountDownLatch stop, Duration wait) throws InterruptedException {
            return stop.await(wait.toNanos(), TimeUnit.NANOSECONDS);
        }
    };

    /** Nanoseconds since a moment of no meaning, as {@link System#nanoTime}. */
    long nanos();

    /** Waits this long, or until it is to stop; answers whether it is. */
    boolean await(CountDownLatch stop, Duration wait) throws InterruptedException;
}
