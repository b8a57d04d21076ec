package dev.nodepath.apiserver.http;

import java.util.ArrayDeque;
import java.util.Deque;

/** What the requests of one connection hold, from their first octet until each is answered. On its event loop alone. */
final class HeadsInUse {
    private record Begun(boolean head, int octets) {}

    private final HeadLimits limits;
    private final Deque<Begun> begun = new ArrayDeque<>();
    /** Octets of all heads, whole or not. */
    private long all;
    /** Octets of the head that comes now. */
    private int coming;

    HeadsInUse(HeadLimits limits) {
        this.limits = limits;
    }

    /** The head that comes now has so many octets so far. */
    boolean hold(int octets) {
        if (!change(octets - coming)) {
            return false;
        }
        coming = octets;
        return true;
    }

    /** That head is a request now. */
    void begin(boolean head) {
        begun.add(new Begun(head, coming));
        coming = 0;
    }

    /** The oldest request is answered; whether it was one with the method HEAD. */
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
