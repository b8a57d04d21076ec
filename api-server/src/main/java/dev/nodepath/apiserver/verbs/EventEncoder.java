package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.store.ChangeEvent;
import org.jspecify.annotations.Nullable;

/**
 * Gives all watches the same encoded event for the same change. The store tells all its listeners of a change before it
 * tells of the next; so to remember the last one is enough.
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

    /** What waits in all watches. */
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
