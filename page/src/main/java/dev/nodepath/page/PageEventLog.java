package dev.nodepath.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The last events, so that a reader continues after a pause. All readers share it: a slow reader delays no other, and
 * costs nothing. Safe for several threads.
 */
final class PageEventLog {
    private final int limit;
    private final Deque<PageEvent> events = new ArrayDeque<>();
    private long version;

    /**
     * An empty log.
     *
     * @param first the version before the first event. It must be above every version of an earlier log, so that no
     *     reader continues with a number of that log
     * @param limit the most events that it keeps
     */
    PageEventLog(long first, int limit) {
        this.version = first;
        this.limit = limit;
    }

    /** The version of the newest event. */
    synchronized long version() {
        return version;
    }

    /** Adds an event, and gives it its version. */
    synchronized PageEvent add(String kind, String json) {
        version++;
        PageEvent event = new PageEvent(version, kind, json);
        events.addLast(event);
        if (events.size() > limit) {
            events.removeFirst();
        }
        return event;
    }

    /**
     * The events after a version.
     *
     * @param most the most events at once
     * @return empty if the version is unknown or too old: the reader needs the whole state
     */
    synchronized Optional<List<PageEvent>> after(long known, int most) {
        long oldest = version - events.size();
        if (known < oldest || known > version) {
            return Optional.empty();
        }
        List<PageEvent> found = new ArrayList<>();
        for (PageEvent event : events) {
            if (event.version() > known && found.size() < most) {
                found.add(event);
            }
        }
        return Optional.of(found);
    }
}
