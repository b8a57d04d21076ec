package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.schedule.NodeFilter;
import java.time.Instant;
import java.util.Set;

/** The taints of a Node that follow from its state; other taints are left alone. */
final class NodeTaints {
    private static final Set<String> OWN =
            Set.of(NodeFilter.NOT_READY, NodeFilter.UNREACHABLE, NodeFilter.UNSCHEDULABLE);

    private NodeTaints() {}

    /** Brings the taints of a Node in line with its state. A taint that stays keeps its time. */
    static void set(ObjectNode node, Instant now) {
        ArrayNode taints = node.arrayNode();
        for (JsonNode each : node.path("spec").path("taints")) {
            if (!OWN.contains(each.path("key").asText())) {
                taints.add(each);
            }
        }
        String ready = ConditionList.status(node, "Ready");
        if (!ready.equals("True")) {
            String key = ready.equals("Unknown") ? NodeFilter.UNREACHABLE : NodeFilter.NOT_READY;
            add(node, taints, key, "NoSchedule", now);
            add(node, taints, key, "NoExecute", now);
        }
        if (node.path("spec").path("unschedulable").asBoolean(false)) {
            add(node, taints, NodeFilter.UNSCHEDULABLE, "NoSchedule", now);
        }
        ObjectNode spec = node.withObjectProperty("spec");
        if (taints.isEmpty()) {
            spec.remove("taints");
        } else {
            spec.set("taints", taints);
        }
    }

    private static void add(JsonNode node, ArrayNode taints, String key, String effect, Instant now) {
        for (JsonNode each : node.path("spec").path("taints")) {
            if (each.path("key").asText().equals(key)
                    && each.path("effect").asText().equals(effect)) {
                taints.add(each);
                return;
            }
        }
        taints.addObject().put("key", key).put("effect", effect).put("timeAdded", Meta.seconds(now));
    }
}
