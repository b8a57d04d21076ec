package dev.nodepath.agent.parts;

import dev.nodepath.linux.time.WaitClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Time that passes only when a part waits: at once, and the awaited time is kept. */
final class ManualPartTime implements WaitClock {
    /** A part that waits for so long really waits until it is to stop. */
    static final Duration ENDLESS = Duration.ofDays(1000);

    private final List<Duration> waits = new ArrayList<>();
    private long nanos;

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public boolean await(CountDownLatch latch, Duration limit) throws InterruptedException {
        if (limit.equals(ENDLESS)) {
            latch.await();
            return true;
        }
        return passAndKeep(latch, limit);
    }

    private synchronized boolean passAndKeep(CountDownLatch latch, Duration limit) {
        waits.add(limit);
        nanos += limit.toNanos();
        notifyAll();
        return latch.getCount() == 0;
    }

    synchronized void pass(Duration time) {
        nanos += time.toNanos();
    }

    synchronized List<Duration> waits() {
        return List.copyOf(waits);
    }
}
