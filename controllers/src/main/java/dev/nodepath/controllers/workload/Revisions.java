package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The ControllerRevisions of a set: each holds an earlier template as a patch for {@code kubectl rollout undo}. */
final class Revisions {
    /** The label of Pods that names their revision. */
    static final String LABEL = "controller-revision-hash";

    private static final int HISTORY_LIMIT = 10;

    private final ClusterApi api;
    private final PodClaims claims;

    Revisions(ClusterApi api) {
        this.api = api;
        this.claims = new PodClaims(api, Resources.CONTROLLER_REVISIONS);
    }

    /** The revisions of a set, the oldest first. The set adopts the revisions of an earlier set. */
    private List<ObjectNode> of(ObjectNode set) {
        return claims.of(set).stream()
                .sorted(Comparator.comparingLong(Revisions::number).thenComparing(Meta::name))
                .toList();
    }

    /**
     * The revision of a set's present template: a new template gets a new revision, and an old one becomes the newest
     * again.
     */
    ObjectNode current(ObjectNode set) {
        List<ObjectNode> all = of(set);
        long next = all.isEmpty() ? 1 : number(all.get(all.size() - 1)) + 1;
        JsonNode data = data(set.path("spec").path("template"));
        Optional<ObjectNode> found =
                all.stream().filter(each -> each.path("data").equals(data)).findFirst();
        if (found.isEmpty()) {
            return create(set, data, next);
        }
        if (number(found.get()) == next - 1) {
            return found.get();
        }
        return api.modify(
                Resources.CONTROLLER_REVISIONS, ObjectKey.of(found.get()), "", copy -> copy.put("revision", next));
    }

    static JsonNode template(JsonNode revision) {
        ObjectNode template =
                revision.path("data").path("spec").path("template").deepCopy();
        template.remove("$patch");
        return template;
    }

    /** The hash in a revision's name. */
    static String hash(JsonNode revision) {
        return Meta.labels(revision).path(LABEL).asText();
    }

    /** Deletes the oldest revisions beyond the set's limit, except those in use. */
    void cleanUp(ObjectNode set, Set<String> used) {
        int limit = set.path("spec").path("revisionHistoryLimit").asInt(HISTORY_LIMIT);
        List<ObjectNode> unused = of(set).stream()
                .filter(revision -> !used.contains(Meta.name(revision)))
                .toList();
        unused.subList(0, Math.max(0, unused.size() - limit))
                .forEach(each -> api.delete(Resources.CONTROLLER_REVISIONS, ObjectKey.of(each), Deletion.DEFAULT));
    }

    private ObjectNode create(JsonNode set, JsonNode data, long number) {
        String hash = TemplateHash.of(data, 0);
        String name = Meta.name(set) + "-" + hash;
        // Another template already has the name, so the next hash is tried.
        for (int collisions = 1; isTaken(set, name); collisions++) {
            hash = TemplateHash.of(data, collisions);
            name = Meta.name(set) + "-" + hash;
        }
        ObjectNode revision = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = revision.putObject("metadata");
        metadata.put("name", name).put("namespace", Meta.namespace(set));
        JsonNode labels = set.path("spec").path("template").path("metadata").path("labels");
        metadata.set("labels", labels.isObject() ? labels.deepCopy() : metadata.objectNode());
        Meta.label(revision, LABEL, hash);
        JsonNode annotations = set.path("metadata").path("annotations");
        if (annotations.isObject()) {
            metadata.set("annotations", annotations.deepCopy());
        }
        Owners.control(revision, set);
        revision.set("data", data);
        revision.put("revision", number);
        return api.create(Resources.CONTROLLER_REVISIONS, revision);
    }

    private boolean isTaken(JsonNode set, String name) {
        return api.find(Resources.CONTROLLER_REVISIONS, new ObjectKey(Meta.namespace(set), name))
                .isPresent();
    }

    /** A strategic merge patch that replaces the template. */
    private static ObjectNode data(JsonNode template) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ObjectNode copy = template.deepCopy();
        data.putObject("spec").set("template", copy.put("$patch", "replace"));
        return data;
    }

    private static long number(JsonNode revision) {
        return revision.path("revision").asLong(0);
    }
}
