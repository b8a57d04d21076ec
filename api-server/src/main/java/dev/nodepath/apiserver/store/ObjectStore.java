package dev.nodepath.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All objects, each with the version of its last change. Versions count all changes of all kinds. Methods are
 * thread-safe; {@link #atomically} makes several calls one step.
 *
 * <p>Readers share the stored trees, and must not change them. Octets are an estimate of memory.
 */
public final class ObjectStore {
    static final long HISTORY_OCTETS_MAX = 128L * 1024 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

    private final int historyMax;
    private final long octetsMax;
    private final Map<Resource, NavigableMap<ObjectKey, ObjectNode>> objects = new HashMap<>();
    private final Map<Resource, List<Consumer<ChangeEvent>>> listeners = new HashMap<>();
    private final Deque<ChangeEvent> history = new ArrayDeque<>();
    private long historyOctets;
    private long octets;
    private long version;
    /** The history has all changes after this version. */
    private long forgotten;

    /**
     * A store without objects.
     *
     * @param firstVersion the version before the first change
     * @param historyMax the most changes in the history, for watches that begin in the past; fewer if their objects
     *     are large
     */
    public ObjectStore(long firstVersion, int historyMax) {
        this(firstVersion, historyMax, Runtime.getRuntime().maxMemory() / 2);
    }

    /**
     * As above.
     *
     * @param octetsMax of all objects: see {@link #hasRoom}. Without this parameter it is half of the memory of this
     *     process
     */
    public ObjectStore(long firstVersion, int historyMax, long octetsMax) {
        this.historyMax = historyMax;
        this.octetsMax = octetsMax;
        this.version = firstVersion;
        this.forgotten = firstVersion;
    }

    /** Runs a step under the store's lock. */
    public synchronized <T> T atomically(Supplier<T> step) {
        return step.get();
    }

    /** The version of the newest change. */
    public synchronized long version() {
        return version;
    }

    /** An object; empty if there is none. */
    public synchronized Optional<ObjectNode> get(Resource resource, ObjectKey key) {
        return Optional.ofNullable(kind(resource).get(key));
    }

    /** The objects of a kind in one namespace, or in all if it is empty. */
    public synchronized Listing list(Resource resource, String namespace) {
        NavigableMap<ObjectKey, ObjectNode> all = kind(resource);
        return new Listing(
                version,
                List.copyOf((namespace.isEmpty()
                                ? all
                                : all.subMap(new ObjectKey(namespace, ""), new ObjectKey(namespace + '\0', "")))
                        .values()));
    }

    /** Whether an object may be added, or take the place of another. An object that does not grow always may. */
    public synchronized boolean hasRoom(ObjectNode object, Optional<ObjectNode> before) {
        long more = size(object) - before.map(ObjectStore::size).orElse(0L);
        return more <= 0 || octets + more <= octetsMax;
    }

    /** The oldest version after which the history is complete. */
    public synchronized long oldest() {
        return forgotten;
    }

    /**
     * Adds an object or replaces it, and writes the new version into its metadata.
     *
     * @param object belongs to the store from now on
     */
    public synchronized ObjectNode put(Resource resource, ObjectNode object) {
        stamp(object, version + 1);
        @Nullable ObjectNode before = kind(resource).put(ObjectKey.of(object), object);
        version++;
        long size = size(object);
        octets += size - (before == null ? 0 : size(before));
        publish(new ChangeEvent(
                before == null ? ChangeEvent.Type.ADDED : ChangeEvent.Type.MODIFIED,
                resource,
                object,
                Optional.ofNullable(before),
                version,
                size));
        return object;
    }

    /** Removes an object, and returns its last state with the version of the removal. */
    public synchronized Optional<ObjectNode> remove(Resource resource, ObjectKey key) {
        @Nullable ObjectNode before = kind(resource).remove(key);
        if (before == null) {
            return Optional.empty();
        }
        ObjectNode last = before.deepCopy();
        version++;
        stamp(last, version);
        octets -= size(before);
        publish(new ChangeEvent(ChangeEvent.Type.DELETED, resource, last, Optional.of(before), version, size(last)));
        return Optional.of(last);
    }

    /**
     * Calls a listener with each present object as added, and from then on with every change, in order. The listener
     * is called on the writer's thread while the store is locked. It must return at once.
     */
    public synchronized Subscription subscribe(Resource resource, Consumer<ChangeEvent> listener) {
        kind(resource)
                .values()
                .forEach(object -> listener.accept(
                        new ChangeEvent(ChangeEvent.Type.ADDED, resource, object, Optional.empty(), version, 0)));
        return add(resource, listener);
    }

    /**
     * Calls a listener with every change after a version, including past ones, as {@link #subscribe(Resource,
     * Consumer)}.
     *
     * @throws TooOldException if the history does not reach back so far
     */
    public synchronized Subscription subscribe(Resource resource, long since, Consumer<ChangeEvent> listener) {
        if (since < forgotten) {
            throw new TooOldException(since, forgotten);
        }
        history.stream()
                .filter(event -> event.version() > since && event.resource().equals(resource))
                .forEach(listener);
        return add(resource, listener);
    }

    /** Forgets the history, as etcd's compaction does: a watch of earlier changes must list again. */
    public synchronized void compact() {
        history.clear();
        historyOctets = 0;
        forgotten = version;
    }

    private Subscription add(Resource resource, Consumer<ChangeEvent> listener) {
        List<Consumer<ChangeEvent>> ofKind = listeners.computeIfAbsent(resource, each -> new CopyOnWriteArrayList<>());
        ofKind.add(listener);
        return () -> ofKind.remove(listener);
    }

    private void publish(ChangeEvent event) {
        history.addLast(event);
        historyOctets += event.octets();
        while (history.size() > historyMax || historyOctets > HISTORY_OCTETS_MAX) {
            ChangeEvent oldest = history.removeFirst();
            historyOctets -= oldest.octets();
            forgotten = oldest.version();
        }
        listeners.getOrDefault(event.resource(), List.of()).forEach(listener -> tell(listener, event));
    }

    /** A failing listener stops neither the writer nor other listeners. */
    private static void tell(Consumer<ChangeEvent> listener, ChangeEvent event) {
        try {
            listener.accept(event);
        } catch (RuntimeException | Error e) {
            LOG.atError()
                    .addKeyValue("kind", event.resource())
                    .addKeyValue("object", event.key())
                    .setCause(e)
                    .log("listener.failed");
        }
    }

    private NavigableMap<ObjectKey, ObjectNode> kind(Resource resource) {
        return objects.computeIfAbsent(resource, each -> new TreeMap<>());
    }

    private static long size(ObjectNode object) {
        return ObjectSize.inMemory(object, HISTORY_OCTETS_MAX);
    }

    private static void stamp(ObjectNode object, long version) {
        object.withObjectProperty("metadata").put("resourceVersion", String.valueOf(version));
    }
}
