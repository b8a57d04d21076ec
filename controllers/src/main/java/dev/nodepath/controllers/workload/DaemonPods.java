package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.schedule.NodeFilter;
import java.util.List;

/** The Pods of a DaemonSet, and the Node of each. The scheduler binds them; their affinity allows only one Node. */
final class DaemonPods {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    /** Taints that every Pod of a DaemonSet tolerates, with their effects (documented with DaemonSets). */
    private static final List<String[]> TOLERATED = List.of(
            new String[] {NodeFilter.NOT_READY, "NoExecute"},
            new String[] {NodeFilter.UNREACHABLE, "NoExecute"},
            new String[] {"node.kubernetes.io/disk-pressure", "NoSchedule"},
            new String[] {"node.kubernetes.io/memory-pressure", "NoSchedule"},
            new String[] {"node.kubernetes.io/pid-pressure", "NoSchedule"},
            new String[] {NodeFilter.UNSCHEDULABLE, "NoSchedule"});

    private DaemonPods() {}

    static ObjectNode create(JsonNode set, JsonNode revision, String node) {
        ObjectNode pod = PodFactory.fromTemplate(set, set.path("spec").path("template"));
        pod.withObjectProperty("metadata").put("generateName", Meta.name(set) + "-");
        Meta.label(pod, Revisions.LABEL, Revisions.hash(revision));
        ObjectNode spec = pod.withObjectProperty("spec");
        tolerate(spec);
        pin(spec, node);
        return pod;
    }

    /** The Node of a Pod, even before the Pod is bound. */
    static String node(JsonNode pod) {
        if (!PodState.node(pod).isEmpty()) {
            return PodState.node(pod);
        }
        return pod.path("spec")
                .path("affinity")
                .path("nodeAffinity")
                .path(REQUIRED)
                .path("nodeSelectorTerms")
                .path(0)
                .path("matchFields")
                .path(0)
                .path("values")
                .path(0)
                .asText("");
    }

    static boolean belongs(JsonNode set, JsonNode node) {
        return fits(set, node, List.of("NoSchedule", "NoExecute"));
    }

    /** Whether a Node keeps its present Pod. */
    static boolean stays(JsonNode set, JsonNode node) {
        return fits(set, node, List.of("NoExecute"));
    }

    private static boolean fits(JsonNode set, JsonNode node, List<String> effects) {
        ObjectNode pod = PodFactory.fromTemplate(set, set.path("spec").path("template"));
        tolerate(pod.withObjectProperty("spec"));
        return NodeFilter.matchesAffinity(pod, node)
                && NodeFilter.untolerated(pod, node, effects).isEmpty();
    }

    private static void tolerate(ObjectNode spec) {
        ArrayNode tolerations = spec.withArrayProperty("tolerations");
        for (String[] each : TOLERATED) {
            tolerations
                    .addObject()
                    .put("key", each[0])
                    .put("operator", "Exists")
                    .put("effect", each[1]);
        }
        if (spec.path("hostNetwork").asBoolean(false)) {
            tolerations
                    .addObject()
                    .put("key", "node.kubernetes.io/network-unavailable")
                    .put("operator", "Exists")
                    .put("effect", "NoSchedule");
        }
    }

    /** Replaces the terms of the affinity, which were evaluated before. */
    private static void pin(ObjectNode spec, String node) {
        ObjectNode required = spec.withObjectProperty("affinity")
                .withObjectProperty("nodeAffinity")
                .withObjectProperty(REQUIRED);
        required.putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchFields")
                .addObject()
                .put("key", "metadata.name")
                .put("operator", "In")
                .putArray("values")
                .add(node);
    }
}
