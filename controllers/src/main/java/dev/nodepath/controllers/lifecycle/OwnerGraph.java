package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All objects by uid, and their owners. Thread-safe. */
final class OwnerGraph {
    /** The place of an object. */
    record Place(Resource resource, ObjectKey key) {}

    private record Entry(Place place, Set<String> owners) {}

    private final Map<String, Entry> objects = new HashMap<>();
    private final Map<String, Map<String, Place>> dependents = new HashMap<>();

    /** Notes a change of an object. */
    synchronized void update(ChangeEvent event) {
        String uid = Meta.uid(event.object());
        @Nullable Entry before = objects.remove(uid);
        if (before != null) {
            before.owners().forEach(owner -> unlink(owner, uid));
        }
        if (event.type() != ChangeEvent.Type.DELETED) {
            Entry entry = new Entry(new Place(event.resource(), event.key()), owners(event.object()));
            objects.put(uid, entry);
            entry.owners()
                    .forEach(owner -> dependents
                            .computeIfAbsent(owner, each -> new LinkedHashMap<>())
                            .put(uid, entry.place()));
        }
    }

    /** The place of the object with this uid. */
    synchronized Optional<Place> find(String uid) {
        return Optional.ofNullable(objects.get(uid)).map(Entry::place);
    }

    /** The uids of an object's dependents. */
    synchronized List<String> dependents(String uid) {
        return List.copyOf(dependents.getOrDefault(uid, Map.of()).keySet());
    }

    /** The uids of an object's owners. */
    static Set<String> owners(JsonNode object) {
        Set<String> uids = new TreeSet<>();
        Owners.references(object).forEach(each -> uids.add(each.path("uid").asText("")));
        return uids;
    }

    private void unlink(String owner, String uid) {
        @Nullable Map<String, Place> linked = dependents.get(owner);
        if (linked != null) {
            linked.remove(uid);
            if (linked.isEmpty()) {
                dependents.remove(owner);
            }
        }
    }
}
