package dev.nodepath.endpoints.source.objects;

import dev.nodepath.endpoints.source.SourceStats;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects that cannot be used, wholly or in part. Each is named in the log once, and again if it was right in between; each
 * thing that is left out is counted. Thread-safe.
 */
public final class SkippedObjects {
    /** So many are remembered as named. While more are broken at once, the others are only counted. */
    static final int MAX_NAMED = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(SkippedObjects.class);

    private final Set<Key> named = new HashSet<>();
    /** By kind and field; there are as many as the converters read fields. */
    private final Map<String, Map<String, Long>> counts = new TreeMap<>();

    private boolean full;

    private record Key(String kind, Object object) {}

    /** Nothing was skipped so far. */
    public SkippedObjects() {}

    /**
     * Takes what was found in the newest version of an object.
     *
     * @param object what makes it the same one in every version; shown as it prints itself
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

    /** The object is gone, or right. */
    public synchronized void forget(String kind, Object object) {
        full &= !named.remove(new Key(kind, object));
    }

    /** These are all objects of a kind; the others are gone. */
    public synchronized void retain(String kind, Set<?> objects) {
        full &= !named.removeIf(key -> key.kind().equals(kind) && !objects.contains(key.object()));
    }

    /** These are all objects that may be bad, of any kind. */
    public synchronized void retain(Set<?> objects) {
        full &= !named.removeIf(key -> !objects.contains(key.object()));
    }

    /** How many objects and entries were left out since the start. */
    public synchronized List<SourceStats.Skipped> counts() {
        return counts.entrySet().stream()
                .flatMap(kind -> kind.getValue().entrySet().stream()
                        .map(field -> new SourceStats.Skipped(kind.getKey(), field.getKey(), field.getValue())))
                .toList();
    }
}
