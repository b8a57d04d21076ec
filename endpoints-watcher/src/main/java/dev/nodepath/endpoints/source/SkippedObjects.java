package dev.nodepath.endpoints.source;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects with problems. Each is logged once, and again after it was valid in between. Each object or entry that is
 * left out is counted. Thread-safe.
 */
public final class SkippedObjects {
    /** The number of objects that are logged. While more are invalid at once, the others are only counted. */
    static final int MAX_NAMED = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(SkippedObjects.class);

    private final Set<Key> named = new HashSet<>();
    /** The counts by kind and field. The number of fields is bounded by the converters. */
    private final Map<String, Map<String, Long>> counts = new TreeMap<>();

    private boolean full;

    private record Key(String kind, Object object) {}

    /** Nothing was skipped so far. */
    public SkippedObjects() {}

    /**
     * Reports the problems of the newest version of an object.
     *
     * @param object the identity of the object, the same in every version; its text is logged
     */
    public synchronized void report(String kind, Object object, Problems problems) {
        Key key = new Key(kind, object);
        if (problems.count() == 0) {
            forget(kind, object);
            return;
        }
        Map<String, Long> ofKind = counts.computeIfAbsent(kind, missing -> new TreeMap<>());
        problems.fields().forEach((field, count) -> ofKind.merge(field, (long) count, Long::sum));
        if (named.contains(key)) {
            return;
        }
        if (named.size() < MAX_NAMED) {
            named.add(key);
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .addKeyValue("object", object)
                    .addKeyValue("problem", problems.first())
                    .addKeyValue("problems", problems.count())
                    .log("source.object_skipped");
        } else if (!full) {
            full = true;
            LOG.atWarn().addKeyValue("named", MAX_NAMED).log("source.more_objects_skipped");
        }
    }

    /** The object is gone, or valid. */
    public synchronized void forget(String kind, Object object) {
        full &= !named.remove(new Key(kind, object));
    }

    /** Forgets the objects of a kind that are not among these. */
    public synchronized void retain(String kind, Set<?> objects) {
        full &= !named.removeIf(key -> key.kind().equals(kind) && !objects.contains(key.object()));
    }

    /** The number of objects and entries that were left out since the start. */
    public synchronized List<SourceStats.Skipped> counts() {
        return counts.entrySet().stream()
                .flatMap(kind -> kind.getValue().entrySet().stream()
                        .map(field -> new SourceStats.Skipped(kind.getKey(), field.getKey(), field.getValue())))
                .toList();
    }
}
