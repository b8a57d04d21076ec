package dev.nodepath.apiserver.framing;

import java.util.ArrayDeque;
import java.util.Deque;

/** What the requests of one connection hold, from their first octet until each is answered. On its event loop alone. */
final class HeadsInUse {
    private record Begun(boolean head, long octets) {}

    private final HeadLimits limits;
    private final Deque<Begun> begun = new ArrayDeque<>();
    private long held;

    HeadsInUse(HeadLimits limits) {
        this.limits = limits;
    }

    /** The head that comes now has so many octets so far. */
    boolean hold(int octets) {
        long more = Math.max(0, octets - HeadLimits.FREE) - held;
        if (more > 0 && !limits.take(more)) {
            return false;
        }
        held += Math.max(0, more);
        return true;
    }

    /** That head is a request now. */
    void begin(boolean head) {
        begun.add(new Begun(head, held));
        held = 0;
    }

    /** The oldest request is answered; whether it was one with the method HEAD. */
    boolean end() {
        Begun first = begun.poll();
        if (first == null) {
            return false;
        }
        limits.give(first.octets());
        return first.head();
    }

    /** The connection has ended, or speaks another protocol. */
    void clear() {
        limits.give(held);
        held = 0;
        begun.forEach(each -> limits.give(each.octets()));
        begun.clear();
    }
}
