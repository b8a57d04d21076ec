package dev.nodepath.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Holds the last events and the state before them, so that a reader can save the history of a surprise. It keeps two
 * stretches, each with the state at its start. When the newer one is full, it becomes the older one, and the oldest
 * events are forgotten. So no event has to be undone to find an earlier state. Not safe for several threads.
 */
final class FlightRecorder {
    /** The most events of a stretch. */
    static final int EVENTS_MAX = 1024;

    /** The most characters of JSON in a stretch's events, apart from the last event. */
    static final int CHARACTERS_MAX = 1024 * 1024;

    private Optional<Stretch> older = Optional.empty();
    private Stretch newer;
    private long last;

    private static final class Stretch {
        private final long from;
        private final String state;
        private final List<RecordedEvent> events = new ArrayList<>();
        private int characters;

        Stretch(long from, String state) {
            this.from = from;
            this.state = state;
        }
    }

    /**
     * Starts with a state.
     *
     * @param at the time, in milliseconds since 1970
     * @param state as JSON on one line
     */
    FlightRecorder(long at, String state) {
        this.last = at;
        this.newer = new Stretch(at, state);
    }

    /** Adds an event. Its time is never before that of an earlier event, whatever the clock shows. */
    void add(long at, PageEvent event) {
        last = Math.max(last, at);
        if (event.kind().equals("state") && older.isEmpty() && newer.events.isEmpty()) {
            // The first picture: the empty one before it is not worth showing.
            newer = new Stretch(last, event.json());
            return;
        }
        newer.events.add(new RecordedEvent(last, event));
        newer.characters += event.json().length();
    }

    /** Whether it needs a state to continue from. */
    boolean isFull() {
        return newer.events.size() >= EVENTS_MAX || newer.characters >= CHARACTERS_MAX;
    }

    /** Continues from the state after the last event. */
    void begin(String state) {
        older = Optional.of(newer);
        newer = new Stretch(last, state);
    }

    /** The events up to now. */
    Recording recording(long now) {
        Stretch first = older.orElse(newer);
        List<RecordedEvent> events = new ArrayList<>(first.events);
        if (first != newer) {
            events.addAll(newer.events);
        }
        return new Recording(first.from, Math.max(last, now), first.state, events);
    }
}
