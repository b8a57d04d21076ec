package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.store.ChangeEvent;
import org.jspecify.annotations.Nullable;

/**
 * Gives all watches the same encoded event for one change. The store tells a change to all listeners before the next
 * change, so the encoder remembers only the last one.
 */
final class EventEncoder {
    private final WatchBacklog backlog;
    private @Nullable EncodedEvent last;

    /** An encoder for watches whose clients may be slow within the limits of {@link WatchBacklog}. */
    EventEncoder() {
        this(WatchBacklog.OCTETS_MAX);
    }

    EventEncoder(long backlogMax) {
        this.backlog = new WatchBacklog(backlogMax);
    }

    /** The octets that wait in all watches. */
    WatchBacklog backlog() {
        return backlog;
    }

    @SuppressWarnings("ReferenceEquality") // to compare the objects would take as long as to encode them
    synchronized EncodedEvent of(ChangeEvent change) {
        EncodedEvent known = last;
        if (known == null || known.change() != change) {
            known = new EncodedEvent(change);
            last = known;
        }
        return known;
    }
}
