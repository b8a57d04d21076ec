package dev.nodepath.apiserver.http;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The head octets of one connection's requests, from their first octet until each is answered. Only its event loop
 * uses it.
 */
final class HeadsInUse {
    private record Begun(boolean head, int octets) {}

    private final HeadLimits limits;
    private final Deque<Begun> begun = new ArrayDeque<>();
    /** Octets of all heads, complete or not. */
    private long all;
    /** Octets of the head that is arriving. */
    private int coming;

    HeadsInUse(HeadLimits limits) {
        this.limits = limits;
    }

    /** The arriving head has this many octets so far. */
    boolean hold(int octets) {
        if (!change(octets - coming)) {
            return false;
        }
        coming = octets;
        return true;
    }

    /** The arriving head is complete. */
    void begin(boolean head) {
        begun.add(new Begun(head, coming));
        coming = 0;
    }

    /** The oldest request is answered; returns whether its method was HEAD. */
    boolean end() {
        Begun first = begun.poll();
        if (first == null) {
            return false;
        }
        change(-first.octets());
        return first.head();
    }

    /** The connection has ended, or speaks another protocol. */
    void clear() {
        change(-all);
        coming = 0;
        begun.clear();
    }

    private boolean change(long octets) {
        long more = counted(all + octets) - counted(all);
        if (more > 0 && !limits.take(more)) {
            return false;
        }
        limits.give(Math.max(0, -more));
        all += octets;
        return true;
    }

    private static long counted(long octets) {
        return Math.max(0, octets - HeadLimits.FREE);
    }
}
