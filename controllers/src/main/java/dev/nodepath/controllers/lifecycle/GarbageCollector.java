package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.Trigger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Deletes objects whose owners are all gone; finishes foreground deletions and deletions that orphan dependents. The
 * name of a key is the uid of an object.
 */
public final class GarbageCollector implements Controller {
    private static final String FOREGROUND = "foregroundDeletion";
    private static final String ORPHAN = "orphan";

    private final ClusterApi api;
    private final OwnerGraph graph = new OwnerGraph();

    public GarbageCollector(ClusterApi api) {
        this.api = api;
    }

    @Override
    public String name() {
        return "garbage-collector";
    }

    @Override
    public List<Trigger> triggers() {
        return Resources.all().stream()
                .filter(GarbageCollector::isCollected)
                .map(resource -> new Trigger(resource, this::keys))
                .toList();
    }

    @Override
    public Optional<Trigger> trigger(Resource custom) {
        return Optional.of(new Trigger(custom, this::keys));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        String uid = key.name();
        Optional<ObjectNode> object = find(uid);
        if (object.isEmpty()) {
            return;
        }
        Resource resource = graph.find(uid).orElseThrow().resource();
        if (!Meta.isTerminating(object.get())) {
            collect(resource, object.get());
        } else if (Meta.hasFinalizer(object.get(), ORPHAN)) {
            orphan(resource, object.get());
        } else if (Meta.hasFinalizer(object.get(), FOREGROUND)) {
            deleteInForeground(resource, object.get());
        }
    }

    private static boolean isCollected(Resource resource) {
        return !resource.equals(Resources.EVENTS) && Resources.stored(resource).equals(resource);
    }

    private Collection<ObjectKey> keys(ChangeEvent event) {
        ObjectNode object = event.object();
        List<String> uids = new ArrayList<>();
        if (event.type() == ChangeEvent.Type.DELETED) {
            uids.addAll(graph.dependents(Meta.uid(object)));
            uids.addAll(OwnerGraph.owners(object));
        } else if (asks(event)) {
            uids.add(Meta.uid(object));
        }
        graph.update(event);
        return uids.stream().map(uid -> new ObjectKey("", uid)).toList();
    }

    /** Whether a change concerns the owners of an object, or its dependents. */
    private static boolean asks(ChangeEvent event) {
        ObjectNode object = event.object();
        if (Meta.isTerminating(object)) {
            return Meta.hasFinalizer(object, FOREGROUND) || Meta.hasFinalizer(object, ORPHAN);
        }
        return !Owners.references(object).isEmpty()
                && event.before()
                        .filter(before -> Owners.references(before).equals(Owners.references(object)))
                        .isEmpty();
    }

    private Optional<ObjectNode> find(String uid) {
        return graph.find(uid)
                .flatMap(place -> api.find(place.resource(), place.key()))
                .filter(object -> Meta.uid(object).equals(uid));
    }

    /** Deletes an object without living owners; else removes references to lost owners. */
    private void collect(Resource resource, ObjectNode object) {
        boolean kept = false;
        boolean awaited = false;
        List<String> gone = new ArrayList<>();
        for (JsonNode reference : Owners.references(object)) {
            Optional<Resource> kind = api.kinds()
                    .ofKind(
                            reference.path("apiVersion").asText(),
                            reference.path("kind").asText());
            Optional<ObjectNode> owner = kind.flatMap(each -> owner(each, reference, object));
            if (kind.isPresent() && owner.isEmpty()) {
                gone.add(reference.path("uid").asText());
            } else if (owner.filter(GarbageCollector::waits).isPresent()) {
                awaited = true;
            } else {
                kept = true;
            }
        }
        if (!kept && (awaited || !gone.isEmpty())) {
            delete(resource, object, awaited ? "Foreground" : "Background");
        } else if (!gone.isEmpty()) {
            release(resource, object, gone);
        }
    }

    private Optional<ObjectNode> owner(Resource kind, JsonNode reference, JsonNode dependent) {
        String namespace = kind.namespaced() ? Meta.namespace(dependent) : "";
        return api.find(kind, new ObjectKey(namespace, reference.path("name").asText()))
                .filter(owner -> Meta.uid(owner).equals(reference.path("uid").asText()));
    }

    private static boolean waits(JsonNode owner) {
        return Meta.isTerminating(owner) && Meta.hasFinalizer(owner, FOREGROUND);
    }

    private void orphan(Resource resource, ObjectNode owner) {
        for (String dependent : graph.dependents(Meta.uid(owner))) {
            Optional<ObjectNode> object = find(dependent);
            if (object.isPresent()) {
                release(graph.find(dependent).orElseThrow().resource(), object.get(), List.of(Meta.uid(owner)));
            }
        }
        removeFinalizer(resource, owner, ORPHAN);
    }

    /** Deletes the dependents; the owner follows the last blocking dependent. */
    private void deleteInForeground(Resource resource, ObjectNode owner) {
        boolean blocked = false;
        for (String uid : graph.dependents(Meta.uid(owner))) {
            Optional<ObjectNode> dependent = find(uid);
            if (dependent.isEmpty()) {
                continue;
            }
            if (!Meta.isTerminating(dependent.get())) {
                collect(graph.find(uid).orElseThrow().resource(), dependent.get());
            }
            blocked |= find(uid).filter(each -> blocks(each, Meta.uid(owner))).isPresent();
        }
        if (!blocked) {
            removeFinalizer(resource, owner, FOREGROUND);
        }
    }

    private static boolean blocks(JsonNode dependent, String owner) {
        for (JsonNode each : Owners.references(dependent)) {
            if (each.path("uid").asText().equals(owner)) {
                return each.path("blockOwnerDeletion").asBoolean(false);
            }
        }
        return false;
    }

    private void delete(Resource resource, ObjectNode object, String propagation) {
        boolean owns = !graph.dependents(Meta.uid(object)).isEmpty();
        String how = propagation.equals("Foreground") && !owns ? "Background" : propagation;
        api.delete(resource, ObjectKey.of(object), new Deletion(OptionalLong.empty(), how, Meta.uid(object), ""));
    }

    private void release(Resource resource, ObjectNode object, List<String> owners) {
        api.modify(resource, ObjectKey.of(object), "", copy -> {
            Set.copyOf(owners).forEach(owner -> Owners.release(copy, owner));
            return copy;
        });
    }

    private void removeFinalizer(Resource resource, ObjectNode object, String finalizer) {
        api.modify(resource, ObjectKey.of(object), "", copy -> {
            Meta.removeFinalizer(copy, finalizer);
            return copy;
        });
    }
}
