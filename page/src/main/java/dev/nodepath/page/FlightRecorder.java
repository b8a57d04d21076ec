package dev.nodepath.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Always holds the last events and the state before them, so that whoever sees something odd can save how it came
 * about. It keeps two stretches, each with the state at its start. When the newer one is full it becomes the older
 * one, and what was the older one is forgotten; so no event is ever taken back to find an earlier state. Not safe for
 * several threads.
 */
final class FlightRecorder {
    /** How many events a stretch has at most. */
    static final int EVENTS_MAX = 1024;

    /** How many characters of JSON the events of a stretch have, but for the last one. */
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
     * @param at when, in milliseconds since 1970
     * @param state as JSON on one line
     */
    FlightRecorder(long at, String state) {
        this.last = at;
        this.newer = new Stretch(at, state);
    }

    /** Adds an event. Its time is never before that of an earlier one, whatever the clock does. */
    void add(long at, PageEvent event) {
        last = Math.max(last, at);
        if (event.kind().equals("state") && older.isEmpty() && newer.events.isEmpty()) {
            // The first picture: there is no need to show that there was none before.
            newer = new Stretch(last, event.json());
            return;
        }
        newer.events.add(new RecordedEvent(last, event));
        newer.characters += event.json().length();
    }

    /** Whether it needs a state to go on from. */
    boolean isFull() {
        return newer.events.size() >= EVENTS_MAX || newer.characters >= CHARACTERS_MAX;
    }

    /** Goes on from the state after the last event. */
    void begin(String state) {
        older = Optional.of(newer);
        newer = new Stretch(last, state);
    }

    /** What it has, up to now. */
    Recording recording(long now) {
        Stretch first = older.orElse(newer);
        List<RecordedEvent> events = new ArrayList<>(first.events);
        if (first != newer) {
            events.addAll(newer.events);
        }
        return new Recording(first.from, Math.max(last, now), first.state, events);
    }
}
