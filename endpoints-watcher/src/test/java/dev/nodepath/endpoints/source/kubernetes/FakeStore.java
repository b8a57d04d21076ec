package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a {@link FakeApiServer} keeps, as etcd does: objects, their versions and what happened. Its lock is itself. */
final class FakeStore {
    /** An object, and its text. */
    record Stored(ObjectNode tree, String text) {}

    /** A change of an object: what it was and what it is. */
    record Event(
            long version, @Nullable Stored before, @Nullable Stored after) {}

    /** A part of a list; no further one if next is empty. */
    record Page(List<Stored> objects, long version, String next) {}

    private record Rest(List<Stored> objects, long version) {}

    private final Map<String, TreeMap<String, Stored>> objects = new HashMap<>();
    private final Map<String, List<Event>> history = new HashMap<>();
    private final Map<String, Rest> rests = new HashMap<>();
    private final Map<Long, Long> sent = new HashMap<>();
    private long version = 1000;
    private long compacted;

    FakeStore(Set<String> paths) {
        for (String path : paths) {
            objects.put(path, new TreeMap<>());
            history.put(path, new ArrayList<>());
        }
    }

    synchronized void put(String path, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("resourceVersion", Long.toString(++version));
        String key = metadata.path("namespace").asText("") + "/"
                + metadata.path("name").asText("");
        Stored stored = new Stored(object, object.toString());
        record(path, new Event(version, objects(path).put(key, stored), stored));
    }

    synchronized Optional<Stored> get(String path, String namespace, String name) {
        return Optional.ofNullable(objects(path).get(namespace + "/" + name));
    }

    synchronized void delete(String path, String namespace, String name) {
        Stored before = objects(path).remove(namespace + "/" + name);
        if (before != null) {
            record(path, new Event(++version, before, null));
        }
    }

    /** Without an event. */
    synchronized void forget(String path) {
        objects(path).clear();
    }

    synchronized void compact() {
        compacted = version;
        forgetHistory();
    }

    synchronized void goBackTo(long older) {
        version = older;
        forgetHistory();
    }

    synchronized long version() {
        return version;
    }

    /** A watch has sent all up to this version. */
    synchronized void sent(long newest, long nanos) {
        sent.put(newest, nanos);
    }

    /** When all up to this version had been sent; nothing if that was together with a later one. */
    synchronized Optional<Long> sentNanos(long newest) {
        return Optional.ofNullable(sent.get(newest));
    }

    /** Whether a watch can begin here. */
    synchronized boolean has(long from) {
        return from >= compacted;
    }

    /** What happened to objects of a path after a version, oldest first. */
    synchronized List<Event> after(long seen, String path) {
        List<Event> events = events(path);
        int from = 0;
        int to = events.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (events.get(middle).version() <= seen) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return List.copyOf(events.subList(from, events.size()));
    }

    /** The first part of a list, or the one that a token stands for; empty if the token is too old. */
    synchronized Optional<Page> page(FakeRequest request) {
        String token = request.parameter("continue");
        Rest rest = token.isEmpty()
                ? new Rest(
                        objects(request.path()).values().stream()
                                .filter(stored -> request.selects(stored.tree()))
                                .toList(),
                        version)
                : rests.get(token);
        if (rest == null) {
            return Optional.empty();
        }
        int count = (int) Math.min(
                request.number("limit", Integer.MAX_VALUE), rest.objects().size());
        List<Stored> others = rest.objects().subList(count, rest.objects().size());
        String next = others.isEmpty() ? "" : "after-" + rest.version() + "-" + others.size() + "-" + request.path();
        if (!next.isEmpty()) {
            rests.put(next, new Rest(others, rest.version()));
        }
        return Optional.of(new Page(rest.objects().subList(0, count), rest.version(), next));
    }

    private void forgetHistory() {
        history.values().forEach(List::clear);
        rests.clear();
        sent.clear();
    }

    private void record(String path, Event event) {
        events(path).add(event);
        notifyAll();
    }

    private Map<String, Stored> objects(String path) {
        return Objects.requireNonNull(objects.get(path), path);
    }

    private List<Event> events(String path) {
        return Objects.requireNonNull(history.get(path), path);
    }
}
