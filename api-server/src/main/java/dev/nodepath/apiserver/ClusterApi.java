package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.resource.WholeNumber;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Listing;
import dev.nodepath.apiserver.store.ObjectSize;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.store.Subscription;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The operations of the API on single objects and kinds, for HTTP and for controllers in this process. Methods are
 * thread-safe and throw {@link StatusException}s. Trees that they return are shared: copy one before you change it.
 *
 * <p>A change is worked out without the store's lock, so that no other call waits for it. The store is locked only
 * for the moment in which the result replaces the object that was read. An object of more than {@value #OBJECT_MAX}
 * octets is refused, and so is one for which the store has no room.
 */
public final class ClusterApi {
    /** The largest object, as with etcd ({@code --max-request-bytes}); see {@link ObjectSize}. */
    public static final int OBJECT_MAX = 1536 * 1024;

    /** The most attempts at a change while other calls change the object. */
    private static final int ATTEMPTS_MAX = 50;

    private static final String METADATA = "metadata";
    private static final String DELETION = "deletionTimestamp";
    private static final String OWNERS = "managedFields";
    private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    static final int SUFFIX_LENGTH = 5;

    private final ObjectStore store;
    private final ObjectRules rules;
    private final InstantSource clock;
    private final Kinds kinds;
    private final Random random = new Random();

    public ClusterApi(ObjectStore store, ObjectRules rules, InstantSource clock) {
        this.store = store;
        this.rules = rules;
        this.clock = clock;
        this.kinds = new Kinds(store);
    }

    /** The kinds of the cluster now. */
    public Kinds kinds() {
        return kinds;
    }

    /** The objects and their history. */
    public ObjectStore store() {
        return store;
    }

    /** An object; 404 if there is none. */
    public ObjectNode get(Resource resource, ObjectKey key) {
        return find(resource, key).orElseThrow(() -> StatusException.notFound(resource, key.name()));
    }

    /** An object, if it exists. */
    public Optional<ObjectNode> find(Resource resource, ObjectKey key) {
        return store.get(stored(resource), key);
    }

    /** The objects of a kind in one namespace, or in all if it is empty. */
    public Listing list(Resource resource, String namespace) {
        return store.list(stored(resource), namespace);
    }

    /** See {@link ObjectStore#subscribe(Resource, Consumer)}. */
    public Subscription subscribe(Resource resource, Consumer<ChangeEvent> listener) {
        return store.subscribe(stored(resource), listener);
    }

    /** See {@link ObjectStore#subscribe(Resource, long, Consumer)}. */
    public Subscription subscribe(Resource resource, long since, Consumer<ChangeEvent> listener) {
        return store.subscribe(stored(resource), since, listener);
    }

    /**
     * Creates an object: completes its metadata, its defaults and its allocated values.
     *
     * @param object belongs to this method from now on
     */
    public ObjectNode create(Resource resource, ObjectNode object) {
        return create(resource, object, false);
    }

    /**
     * As {@link #create(Resource, ObjectNode)}.
     *
     * @param dryRun whether it does all but store the object
     */
    public ObjectNode create(Resource resource, ObjectNode object, boolean dryRun) {
        complete(resource, object);
        requireRoom(resource, object);
        admit(resource, object, Optional.empty(), "");
        return store.atomically(() -> {
            requireRoom(resource, object);
            rules.allocate(resource, object, Optional.empty(), "");
            requireMemory(object, Optional.empty());
            return dryRun ? object : store.put(stored(resource), object);
        });
    }

    /**
     * Replaces an object. If it names a resourceVersion, that must be the stored one.
     *
     * @param object stays as it is
     */
    public ObjectNode update(Resource resource, ObjectNode object) {
        return modify(resource, ObjectKey.of(object), "", before -> object.deepCopy());
    }

    /**
     * Reads, changes and writes an object as one step. Nothing is written when nothing changes.
     *
     * @param subresource empty for all but the status, {@code status} for the status alone
     * @param change gets a copy that it may change, and returns the new tree. It is called again when another change
     *     came in between
     */
    public ObjectNode modify(Resource resource, ObjectKey key, String subresource, UnaryOperator<ObjectNode> change) {
        return modify(resource, key, subresource, change, false);
    }

    /**
     * As {@link #modify(Resource, ObjectKey, String, UnaryOperator)}.
     *
     * @param dryRun whether it does all but store the object
     */
    public ObjectNode modify(
            Resource resource, ObjectKey key, String subresource, UnaryOperator<ObjectNode> change, boolean dryRun) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            ObjectNode before = get(resource, key);
            ObjectNode after = change.apply(before.deepCopy());
            Preconditions.requireVersion(resource, key, before, after);
            keep(resource, before, after, subresource);
            admit(resource, after, Optional.of(before), subresource);
            Optional<ObjectNode> done =
                    store.atomically(() -> replace(resource, key, subresource, before, after, dryRun));
            if (done.isPresent()) {
                return done.get();
            }
        }
        throw StatusException.conflict(resource, key.name(), Preconditions.MODIFIED);
    }

    /**
     * Replaces an object in the store; does nothing if another call has changed it meanwhile. The caller holds the
     * store's lock.
     */
    @SuppressWarnings("ReferenceEquality") // stored trees never change: the same tree is the same state
    private Optional<ObjectNode> replace(
            Resource resource, ObjectKey key, String subresource, ObjectNode before, ObjectNode after, boolean dryRun) {
        if (get(resource, key) != before) {
            return Optional.empty();
        }
        rules.allocate(resource, after, Optional.of(before), subresource);
        if (after.equals(before)) {
            return Optional.of(before);
        }
        if (subresource.isEmpty() && !spec(after).equals(spec(before))) {
            metadata(after)
                    .set(
                            "generation",
                            WholeNumber.of(
                                    before.path(METADATA).path("generation").asLong(0) + 1));
        }
        requireMemory(after, Optional.of(before));
        if (dryRun) {
            return Optional.of(after);
        }
        return Optional.of(Endings.isFinished(after) ? removeNow(resource, key) : store.put(stored(resource), after));
    }

    private void requireMemory(ObjectNode object, Optional<ObjectNode> before) {
        if (!store.hasRoom(object, before)) {
            throw StatusException.noRoom("etcdserver: mvcc: database space exceeded: all objects together are as large"
                    + " as they may be (expected: that some are deleted first)");
        }
    }

    /**
     * Completes and checks an object. It is measured first, as its size bounds the work, and again with its defaults.
     */
    private void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {
        requireSize(object);
        rules.admit(resource, object, before, subresource);
        requireSize(object);
    }

    private static void requireSize(ObjectNode object) {
        if (ObjectSize.of(object, OBJECT_MAX) > OBJECT_MAX) {
            throw StatusException.tooLarge("etcdserver: request is too large: the limit of an object is " + OBJECT_MAX
                    + " octets and " + ObjectSize.LEVELS_MAX + " levels");
        }
    }

    /**
     * Deletes an object. A Pod on a Node, and an object with finalizers, only get a deletion time; the kubelet then
     * deletes it again, or controllers remove the finalizers.
     *
     * @return its last state
     */
    public ObjectNode delete(Resource resource, ObjectKey key, Deletion how) {
        return delete(resource, key, how, false);
    }

    /**
     * As {@link #delete(Resource, ObjectKey, Deletion)}.
     *
     * @param dryRun whether it only makes the checks
     */
    public ObjectNode delete(Resource resource, ObjectKey key, Deletion how, boolean dryRun) {
        return store.atomically(() -> {
            ObjectNode before = get(resource, key);
            Preconditions.requireSame(resource, key, before, how);
            if (dryRun) {
                return before;
            }
            ObjectNode after = before.deepCopy();
            Endings.addFinalizer(after, how.propagation());
            long grace = Endings.grace(resource, before, how);
            boolean marked = before.path(METADATA).has(DELETION);
            long promised =
                    before.path(METADATA).path("deletionGracePeriodSeconds").asLong(Long.MAX_VALUE);
            if (grace == 0
                    && metadata(after).path("finalizers").isEmpty()
                    && !Endings.isNamespaceInUse(resource, before)) {
                return removeNow(resource, key);
            }
            if (!marked || grace < promised) {
                metadata(after)
                        .put(
                                DELETION,
                                clock.instant()
                                        .plusSeconds(grace)
                                        .truncatedTo(ChronoUnit.SECONDS)
                                        .toString());
                metadata(after).set("deletionGracePeriodSeconds", WholeNumber.of(grace));
            }
            if (resource.equals(Resources.NAMESPACES)) {
                after.withObjectProperty("status").put("phase", "Terminating");
            }
            return after.equals(before) ? before : store.put(stored(resource), after);
        });
    }

    /** Some objects have two forms, but only one is stored. This is the stored form. */
    private Resource stored(Resource resource) {
        return kinds.stored(resource);
    }

    private void complete(Resource resource, ObjectNode object) {
        object.put("apiVersion", stored(resource).apiVersion());
        object.put("kind", resource.kind());
        ObjectNode metadata = metadata(object);
        if (metadata.path("name").asText("").isEmpty() && metadata.has("generateName")) {
            String start = metadata.path("generateName").asText();
            do {
                metadata.put("name", start + suffix());
            } while (find(resource, ObjectKey.of(object)).isPresent());
        }
        metadata.remove("resourceVersion");
        metadata.remove(DELETION);
        metadata.remove("deletionGracePeriodSeconds");
        metadata.put("uid", UUID.randomUUID().toString());
        metadata.put("creationTimestamp", now());
        if (object.has("spec") || resource.equals(Resources.ENDPOINT_SLICES)) {
            metadata.put("generation", 1);
        }
    }

    /** Requires that there is no such object yet, and that its namespace accepts new ones. */
    private void requireRoom(Resource resource, ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (find(resource, key).isPresent()) {
            throw StatusException.alreadyExists(resource, key.name());
        }
        if (kinds.custom(resource).filter(CustomKind::terminating).isPresent()) {
            throw new StatusException(
                    405,
                    "MethodNotAllowed",
                    "create not allowed while custom resource definition is terminating",
                    resource.group(),
                    resource.plural(),
                    key.name(),
                    List.of());
        }
        if (!resource.namespaced()) {
            return;
        }
        Optional<ObjectNode> namespace = find(Resources.NAMESPACES, new ObjectKey("", key.namespace()));
        if (namespace.isEmpty()) {
            throw StatusException.notFound(Resources.NAMESPACES, key.namespace());
        }
        if (namespace.get().path(METADATA).has(DELETION)) {
            throw StatusException.forbidden(
                    resource,
                    object,
                    "unable to create new content in namespace " + key.namespace() + " because it is being terminated");
        }
    }

    /** Keeps the server's own metadata, which no client can change. A subresource changes its own part alone. */
    private static void keep(Resource resource, ObjectNode before, ObjectNode after, String subresource) {
        after.put("apiVersion", before.path("apiVersion").asText());
        after.put("kind", before.path("kind").asText());
        if (List.of("status", Resources.APPROVAL, Resources.EPHEMERAL_CONTAINERS)
                .contains(subresource)) {
            JsonNode status = after.path("status");
            JsonNode ephemeral = after.path("spec").path("ephemeralContainers");
            JsonNode owners = after.path(METADATA).path(OWNERS);
            after.setAll(before.deepCopy());
            after.retain(Stream.concat(fieldNames(before).stream(), Stream.of("status"))
                    .toList());
            if (subresource.equals("status")) {
                setOrRemove(after, "status", status);
            } else if (subresource.equals(Resources.APPROVAL)) {
                setOrRemove(after.withObjectProperty("status"), "conditions", status.path("conditions"));
            } else {
                setOrRemove(after.withObjectProperty("spec"), "ephemeralContainers", ephemeral);
            }
            setOrRemove(metadata(after), OWNERS, owners);
            return;
        }
        ObjectNode metadata = metadata(after);
        for (String field : List.of(
                "name",
                "namespace",
                "uid",
                "creationTimestamp",
                "generation",
                DELETION,
                "deletionGracePeriodSeconds",
                "resourceVersion")) {
            if (before.path(METADATA).has(field)) {
                metadata.set(field, before.path(METADATA).get(field));
            } else {
                metadata.remove(field);
            }
        }
        if (resource.has("status") && !subresource.equals("binding")) {
            if (before.has("status")) {
                after.set("status", before.get("status"));
            } else {
                after.remove("status");
            }
        }
    }

    private static void setOrRemove(ObjectNode object, String field, JsonNode value) {
        if (value.isMissingNode()) {
            object.remove(field);
        } else {
            object.set(field, value);
        }
    }

    private static List<String> fieldNames(ObjectNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private ObjectNode removeNow(Resource resource, ObjectKey key) {
        return store.remove(stored(resource), key).orElseThrow();
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Five letters and digits without vowels, as Kubernetes makes them. */
    private String suffix() {
        StringBuilder suffix = new StringBuilder();
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            suffix.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
        }
        return suffix.toString();
    }

    /** The fields whose change makes a new generation: all but metadata and status. */
    private static ObjectNode spec(ObjectNode object) {
        ObjectNode spec = object.objectNode();
        object.properties().stream()
                .filter(field ->
                        !field.getKey().equals(METADATA) && !field.getKey().equals("status"))
                .forEach(field -> spec.set(field.getKey(), field.getValue()));
        return spec;
    }

    private static ObjectNode metadata(ObjectNode object) {
        return object.withObjectProperty(METADATA);
    }
}
