package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.linux.time.WaitClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** A time that passes when it is told to, and remembers each wait by the thread that waited. */
final class ManualWatchTime implements WaitClock {
    /* All guarded by this. */
    private final Map<Thread, Long> ends = new HashMap<>();
    private final Map<String, List<Duration>> waits = new TreeMap<>();
    private long now;

    @Override
    public synchronized long nanos() {
        return now;
    }

    @Override
    public synchronized boolean await(CountDownLatch stop, Duration wait) throws InterruptedException {
        Thread self = Thread.currentThread();
        long end = now + wait.toNanos();
        waits.computeIfAbsent(self.getName(), name -> new ArrayList<>()).add(wait);
        ends.put(self, end);
        try {
            while (now < end && stop.getCount() > 0) {
                wait();
            }
        } finally {
            ends.remove(self);
        }
        return stop.getCount() == 0;
    }

    /** Moves the time to the end of the first wait, if at least this many threads wait. Returns whether it did. */
    synchronized boolean advance(int waiting) {
        if (ends.size() < waiting) {
            return false;
        }
        now = Math.max(now, Collections.min(ends.values()));
        // They wait no more, even before they have noticed.
        ends.values().removeIf(end -> end <= now);
        notifyAll();
        return true;
    }

    /** How many threads wait. */
    synchronized int waiting() {
        return ends.size();
    }

    /** The waits so far of each thread that waited. */
    synchronized Map<String, List<Duration>> waits() {
        Map<String, List<Duration>> copy = new TreeMap<>();
        waits.forEach((thread, all) -> copy.put(thread, List.copyOf(all)));
        return copy;
    }
}
