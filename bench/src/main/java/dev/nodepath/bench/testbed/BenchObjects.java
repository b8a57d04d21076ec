package dev.nodepath.bench.testbed;

import dev.nodepath.bench.testbed.ApiObject.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** The objects and the event history of an {@link BenchApiServer}. Its lock is itself; every change notifies all. */
final class BenchObjects {
    /** Older events are forgotten: a watch from before them has to list again, as with a real server. */
    private static final int EVENTS_MAX = 100_000;

    /** A change, as a watch sends it. */
    record Event(long version, Kind kind, String key, String line) {}

    /** A part of a list; the last one if next is empty. */
    record Page(List<String> objects, long version, String next) {}

    private record Stored(ApiObject object, long version) {}

    private final Map<Kind, TreeMap<String, Stored>> objects = new EnumMap<>(Kind.class);
    private final Deque<Event> events = new ArrayDeque<>();
    private long version = 1000;

    BenchObjects() {
        for (Kind kind : Kind.values()) {
            objects.put(kind, new TreeMap<>());
        }
    }

    synchronized void put(ApiObject object) {
        version++;
        Stored before = of(object.kind()).put(object.key(), new Stored(object, version));
        add(before == null ? "ADDED" : "MODIFIED", object);
    }

    synchronized void delete(ApiObject object) {
        if (of(object.kind()).remove(object.key()) != null) {
            version++;
            add("DELETED", object);
        }
    }

    /** An object by its key; empty if there is none. */
    synchronized Optional<String> get(Kind kind, String key) {
        return Optional.ofNullable(of(kind).get(key))
                .map(stored -> stored.object().json(stored.version()));
    }

    synchronized long version() {
        return version;
    }

    /** Whether the history has all events after a version. */
    synchronized boolean has(long since) {
        return events.isEmpty() || since >= events.getFirst().version() - 1;
    }

    /** The events of a kind after a version, oldest first. */
    synchronized List<Event> after(long since, Kind kind, String onlyName) {
        List<Event> found = new ArrayList<>();
        Iterator<Event> newestFirst = events.descendingIterator();
        while (newestFirst.hasNext()) {
            Event event = newestFirst.next();
            if (event.version() <= since) {
                break;
            }
            if (event.kind() == kind && (onlyName.isEmpty() || event.key().endsWith("/" + onlyName))) {
                found.add(event);
            }
        }
        Collections.reverse(found);
        return found;
    }

    /**
     * A page of a list, from the place in the token.
     *
     * @return empty if there was a change since the list was begun
     */
    synchronized Optional<Page> page(Kind kind, String onlyName, int limit, String token) {
        int from = 0;
        if (!token.isEmpty()) {
            String[] parts = token.split(":", 2);
            if (Long.parseLong(parts[0]) != version) {
                return Optional.empty();
            }
            from = Integer.parseInt(parts[1]);
        }
        List<Stored> all = of(kind).values().stream()
                .filter(stored -> onlyName.isEmpty() || stored.object().name().equals(onlyName))
                .toList();
        int to = (int) Math.min(all.size(), (long) from + limit);
        List<String> texts = all.subList(from, to).stream()
                .map(stored -> stored.object().json(stored.version()))
                .toList();
        return Optional.of(new Page(texts, version, to < all.size() ? version + ":" + to : ""));
    }

    private void add(String type, ApiObject object) {
        events.addLast(new Event(
                version,
                object.kind(),
                object.key(),
                "{\"type\":\"" + type + "\",\"object\":" + object.json(version) + "}\n"));
        if (events.size() > EVENTS_MAX) {
            events.removeFirst();
        }
        notifyAll();
    }

    private Map<String, Stored> of(Kind kind) {
        return Objects.requireNonNull(objects.get(kind));
    }
}
