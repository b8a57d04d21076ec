package dev.nodepath.proxy.userspace.relay;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Checks a set of objects of one event loop at a fixed interval. It is cheaper than a timer for each, because most are
 * removed before their timeout. An empty set costs nothing.
 *
 * @param <W> the type of the objects
 */
final class PeriodicCheck<W extends PeriodicCheck.Watched> {
    private final EventLoop loop;
    private final long intervalNanos;
    private final Set<W> watched = new LinkedHashSet<>();
    private boolean beating;

    /** An object that is checked. */
    interface Watched {
        /** Checks the object. It may remove itself. */
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

    /** All objects in the set. */
    Iterable<W> watched() {
        return watched;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Only a failure of the loop itself can prevent it.
    private void scheduleNext() {
        loop.schedule(this::beat, intervalNanos, TimeUnit.NANOSECONDS);
    }

    private void beat() {
        beating = !watched.isEmpty();
        if (beating) {
            // This comes first, so that a failed check is not the last one.
            scheduleNext();
            long now = loop.ticker().nanoTime();
            for (Watched one : watched.toArray(new Watched[0])) {
                one.look(now);
            }
        }
    }
}
