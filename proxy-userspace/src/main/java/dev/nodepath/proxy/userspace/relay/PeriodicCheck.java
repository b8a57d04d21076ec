package dev.nodepath.proxy.userspace.relay;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Looks at things of one event loop at a fixed beat while there are any. Cheaper than a timer for each of them, as most go
 * before their time: a look costs nothing while there are none.
 *
 * @param <W> what is looked at
 */
final class PeriodicCheck<W extends PeriodicCheck.Watched> {
    private final EventLoop loop;
    private final long intervalNanos;
    private final Set<W> watched = new LinkedHashSet<>();
    private boolean beating;

    /** What is looked at. */
    interface Watched {
        /** A beat; it may remove itself. */
        void look(long nowNanos);
    }

    PeriodicCheck(EventLoop loop, Duration interval) {
        this.loop = loop;
        this.intervalNanos = interval.toNanos();
    }

    void add(W one) {
        watched.add(one);
        if (!beating) {
            beating = true;
            scheduleNext();
        }
    }

    void remove(W one) {
        watched.remove(one);
    }

    /** All that are looked at. */
    Iterable<W> watched() {
        return watched;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // It cannot fail but with the loop itself.
    private void scheduleNext() {
        loop.schedule(this::beat, intervalNanos, TimeUnit.NANOSECONDS);
    }

    private void beat() {
        beating = !watched.isEmpty();
        if (beating) {
            // First, as a look that fails must not be the last.
            scheduleNext();
            long now = loop.ticker().nanoTime();
            for (Watched one : watched.toArray(new Watched[0])) {
                one.look(now);
            }
        }
    }
}
