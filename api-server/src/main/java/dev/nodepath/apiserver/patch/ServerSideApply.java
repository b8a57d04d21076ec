package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.patch.ManagedFields.Owner;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Server-side apply (Kubernetes, "Server-Side Apply"). An object gets {@code managedFields} with its first apply.
 * Before that no owners are recorded, and the present fields belong to {@code before-first-apply}.
 */
public final class ServerSideApply {
    private static final String BEFORE_FIRST = "before-first-apply";
    private static final String CLIENT_SIDE = "kubectl-client-side-apply";
    private static final String KUBECTL = "kubectl";
    private static final String METADATA = "metadata";
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private final Resource resource;
    private final String subresource;
    private final Instant time;

    /**
     * An apply to an object of a kind.
     *
     * @param subresource empty for the object itself, {@code status} or {@code ephemeralcontainers}
     */
    public ServerSideApply(Resource resource, String subresource, Instant time) {
        this.resource = resource;
        this.subresource = subresource;
        this.time = time.truncatedTo(ChronoUnit.SECONDS);
    }

    /** A new object from an applied configuration. */
    public ObjectNode create(ObjectNode applied, String manager) {
        ManagedFields managed = new ManagedFields();
        ObjectNode object = own(applied);
        managed.set(new Owner(manager, "Apply", subresource), ObjectFields.of(resource, object), time.toString());
        managed.write(object);
        return object;
    }

    /**
     * Changes an object.
     *
     * @param force whether to take fields from other owners
     * @throws StatusException 409 if other managers own fields with other values
     */
    public void apply(ObjectNode object, ObjectNode config, String manager, boolean force) {
        ObjectNode applied = own(config);
        Owner owner = new Owner(manager, "Apply", subresource);
        NavigableSet<FieldPath> wanted = ObjectFields.of(resource, applied);
        ManagedFields managed = ManagedFields.of(object);
        NavigableSet<FieldPath> lastApplied = lastApplied(object);
        if (managed.isEmpty()) {
            assignAll(managed, object, lastApplied);
        }
        ApplyConflicts conflicts = new ApplyConflicts(resource, managed);
        NavigableSet<FieldPath> taken = new TreeSet<>();
        FieldLookup present = new FieldLookup(object);
        FieldLookup asked = new FieldLookup(applied);
        managed.others(
                owner,
                (other, fields) -> fields.stream()
                        .filter(wanted::contains)
                        .filter(path -> !isItem(path) && !Objects.equals(present.at(path), asked.at(path)))
                        .forEach(path -> {
                            taken.add(path);
                            // kubectl keeps the fields of its earlier client-side apply.
                            if (!manager.equals(KUBECTL) || !lastApplied.contains(path)) {
                                conflicts.add(other, path);
                            }
                        }));
        if (!force) {
            conflicts.refuse(object.path(METADATA).path("name").asText());
        }
        managed.others(owner, (other, fields) -> fields.removeAll(taken));
        NavigableSet<FieldPath> gone = new TreeSet<>(managed.of(owner));
        gone.removeAll(wanted);
        NavigableSet<FieldPath> ofOthers = new TreeSet<>();
        managed.others(owner, (other, fields) -> ofOthers.addAll(fields));
        gone.removeIf(path -> isOwned(path, ofOthers));
        gone.removeIf(path -> isOwned(path, wanted));
        ObjectNode old = object.deepCopy();
        ApplyMerge.merge(resource, object, applied);
        ApplyMerge.remove(object, gone);
        if (manager.equals(KUBECTL) && !lastApplied.isEmpty()) {
            object.withObjectProperty(METADATA)
                    .withObjectProperty("annotations")
                    .put(LAST_APPLIED, applied + "\n");
        }
        boolean same = managed.has(owner) && managed.of(owner).equals(wanted) && object.equals(old);
        managed.set(owner, wanted, same ? managed.time(owner) : time.toString());
        managed.write(object);
    }

    /**
     * Records that a client changed fields in another way. Objects without an apply so far are left alone.
     *
     * @param before the object before the change
     */
    public void updated(ObjectNode object, ObjectNode before, String manager) {
        ManagedFields managed = ManagedFields.of(before);
        if (managed.isEmpty()) {
            return;
        }
        NavigableSet<FieldPath> present = ObjectFields.of(resource, object);
        NavigableSet<FieldPath> changed = new TreeSet<>(present);
        FieldLookup now = new FieldLookup(object);
        FieldLookup then = new FieldLookup(before);
        changed.removeIf(
                path -> Objects.equals(now.at(path), then.at(path)) || (isItem(path) && then.at(path) != null));
        changed.removeIf(path -> !isWritten(path));
        managed.forget(path -> changed.contains(path) || now.at(path) == null);
        if (!changed.isEmpty()) {
            Owner owner = new Owner(manager, "Update", subresource);
            NavigableSet<FieldPath> all = new TreeSet<>(managed.of(owner));
            all.addAll(changed);
            managed.set(owner, all, time.toString());
        }
        managed.write(object);
    }

    /**
     * The fields of the configuration that this apply may set: all but the status, or only the subresource's own part.
     */
    private ObjectNode own(ObjectNode config) {
        ObjectNode own = config.deepCopy();
        if (ofContainers()) {
            own.retain("apiVersion", "kind", METADATA, "spec");
            own.withObjectProperty("spec").retain("ephemeralContainers");
        } else if (ofStatus()) {
            own.retain("apiVersion", "kind", METADATA, "status");
        } else if (resource.has("status")) {
            own.remove("status");
        }
        if (ofContainers() || ofStatus()) {
            own.withObjectProperty(METADATA).retain("name", "namespace", "uid", "resourceVersion");
        }
        return own;
    }

    /** Whether a write to this subresource can change a field. */
    private boolean isWritten(FieldPath path) {
        List<String> steps = path.steps();
        return ofContainers()
                ? steps.size() > 1 && steps.subList(0, 2).equals(List.of("f:spec", "f:ephemeralContainers"))
                : steps.get(0).equals("f:status") == ofStatus();
    }

    private boolean ofStatus() {
        return subresource.equals("status");
    }

    private boolean ofContainers() {
        return subresource.equals(Resources.EPHEMERAL_CONTAINERS);
    }

    /**
     * Assigns the fields of an object without an apply so far: kubectl owns those of its client-side apply, and
     * before-first-apply the rest.
     */
    private void assignAll(ManagedFields managed, ObjectNode object, NavigableSet<FieldPath> lastApplied) {
        NavigableSet<FieldPath> rest = ObjectFields.of(resource, object);
        NavigableSet<FieldPath> ofKubectl = new TreeSet<>(lastApplied);
        ofKubectl.retainAll(rest);
        if (!ofKubectl.isEmpty()) {
            ofKubectl.add(FieldPath.ROOT.field(METADATA).field("annotations").field(LAST_APPLIED));
            managed.set(new Owner(CLIENT_SIDE, "Update", ""), ofKubectl, time.toString());
        }
        rest.removeAll(ofKubectl);
        managed.set(new Owner(BEFORE_FIRST, "Update", ""), rest, time.toString());
    }

    /** The fields that kubectl's client-side apply set last. */
    private NavigableSet<FieldPath> lastApplied(ObjectNode object) {
        JsonNode annotation = object.path(METADATA).path("annotations").path(LAST_APPLIED);
        try {
            return annotation.isTextual() && Json.MAPPER.readTree(annotation.asText()) instanceof ObjectNode last
                    ? ObjectFields.of(resource, last)
                    : new TreeSet<>();
        } catch (IOException e) {
            return new TreeSet<>();
        }
    }

    private static boolean isItem(FieldPath path) {
        return !path.last().startsWith("f:");
    }

    private static boolean isOwned(FieldPath path, NavigableSet<FieldPath> fields) {
        // The paths below a path follow it in the order.
        NavigableSet<FieldPath> following = fields.tailSet(path, true);
        return !following.isEmpty() && following.first().startsWith(path);
    }
}
