package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The parts of a ReplicaSet from its Deployment: template, labels, and annotations with the number of its revision.
 */
final class DeploymentRevision {
    static final String REVISION = "deployment.kubernetes.io/revision";
    static final String DESIRED = "deployment.kubernetes.io/desired-replicas";
    private static final String HISTORY = "deployment.kubernetes.io/revision-history";
    private static final String MAX = "deployment.kubernetes.io/max-replicas";
    private static final String HASH = "pod-template-hash";
    /** Annotations that only the Deployment has. */
    private static final Set<String> OWN = Set.of(
            "kubectl.kubernetes.io/last-applied-configuration",
            REVISION,
            HISTORY,
            DESIRED,
            MAX,
            "deprecated.deployment.rollback.to");

    private DeploymentRevision() {}

    /** The ReplicaSet with the Deployment's template; the oldest if there are several. */
    static <T extends JsonNode> Optional<T> find(JsonNode deployment, Collection<T> sets) {
        JsonNode template = deployment.path("spec").path("template");
        return sets.stream()
                .filter(set -> withoutHash(set.path("spec").path("template")).equals(template))
                .min(Comparator.<T, Instant>comparing(Meta::created).thenComparing(Meta::name));
    }

    /** A ReplicaSet for the Deployment's template. */
    static ObjectNode create(ObjectNode deployment, int replicas, long revision) {
        JsonNode spec = deployment.path("spec");
        int collisions = deployment.path("status").path("collisionCount").asInt(0);
        String hash = TemplateHash.of(spec.path("template"), collisions);
        ObjectNode set = deployment.objectNode();
        set.putObject("metadata")
                .put("name", Meta.name(deployment) + "-" + hash)
                .put("namespace", Meta.namespace(deployment));
        ObjectNode setSpec = set.putObject("spec");
        setSpec.put("replicas", replicas);
        copyMinReady(deployment, set);
        setSpec.set("selector", spec.path("selector").deepCopy());
        setSpec.withObjectProperty("selector").withObjectProperty("matchLabels").put(HASH, hash);
        setSpec.set("template", spec.path("template").deepCopy());
        Meta.label(setSpec.withObjectProperty("template"), HASH, hash);
        set.withObjectProperty("metadata")
                .set("labels", Meta.labels(setSpec.path("template")).deepCopy());
        Owners.control(set, deployment);
        annotate(deployment, set, revision);
        return set;
    }

    /** Brings a ReplicaSet's annotations and {@code minReadySeconds} in line with its Deployment. */
    static void update(ObjectNode deployment, ObjectNode set, long revision) {
        copyMinReady(deployment, set);
        annotate(deployment, set, Math.max(revision, of(set)));
    }

    /** Notes the size that the Deployment had when its sets were sized. */
    static void annotateSize(ObjectNode set, RolloutLimits limits) {
        Meta.annotate(set, DESIRED, String.valueOf(limits.replicas()));
        Meta.annotate(set, MAX, String.valueOf(limits.podsMax()));
    }

    /** Whether a ReplicaSet was last sized for this number of replicas. */
    static boolean isSizedFor(JsonNode set, int replicas) {
        return Meta.annotation(set, DESIRED).equals(String.valueOf(replicas));
    }

    /** The number of a revision; 0 if it has none. */
    static long of(JsonNode object) {
        String revision = Meta.annotation(object, REVISION);
        return revision.matches("\\d{1,18}") ? Long.parseLong(revision) : 0;
    }

    private static void annotate(ObjectNode deployment, ObjectNode set, long revision) {
        for (Map.Entry<String, JsonNode> each :
                deployment.path("metadata").path("annotations").properties()) {
            if (!OWN.contains(each.getKey())) {
                Meta.annotate(set, each.getKey(), each.getValue().asText());
            }
        }
        long before = of(set);
        if (before != revision) {
            if (before > 0) {
                String history = Meta.annotation(set, HISTORY);
                Meta.annotate(set, HISTORY, history.isEmpty() ? String.valueOf(before) : history + "," + before);
            }
            Meta.annotate(set, REVISION, String.valueOf(revision));
        }
        annotateSize(set, RolloutLimits.of(deployment));
    }

    private static void copyMinReady(ObjectNode deployment, ObjectNode set) {
        ObjectNode spec = set.withObjectProperty("spec");
        if (deployment.path("spec").has("minReadySeconds")) {
            spec.set("minReadySeconds", deployment.path("spec").get("minReadySeconds"));
        } else {
            spec.remove("minReadySeconds");
        }
    }

    private static JsonNode withoutHash(JsonNode template) {
        ObjectNode copy = template.deepCopy();
        copy.withObjectProperty("metadata").withObjectProperty("labels").remove(HASH);
        return copy;
    }
}
