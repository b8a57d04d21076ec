package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Pods on each Node while several Pods are placed one after the other. */
final class NodeLoads {
    private final Map<String, List<JsonNode>> pods = new HashMap<>();
    private final Map<String, List<JsonNode>> refusing = new HashMap<>();
    private final Map<String, Map<String, Integer>> byGroup = new HashMap<>();

    NodeLoads(Collection<? extends JsonNode> all) {
        all.stream()
                .filter(pod -> !PodState.node(pod).isEmpty() && !PodState.isFinished(pod))
                .forEach(pod -> add(pod, PodState.node(pod)));
    }

    void add(JsonNode pod, String node) {
        pods.computeIfAbsent(node, each -> new ArrayList<>()).add(pod);
        if (!PodTopology.refusals(pod).isEmpty()) {
            refusing.computeIfAbsent(node, each -> new ArrayList<>()).add(pod);
        }
        byGroup.computeIfAbsent(node, each -> new HashMap<>()).merge(group(pod), 1, Integer::sum);
    }

    List<JsonNode> on(String node) {
        return pods.getOrDefault(node, List.of());
    }

    /** The few Pods on a Node that keep other Pods away. */
    List<JsonNode> refusing(String node) {
        return refusing.getOrDefault(node, List.of());
    }

    int count(String node) {
        return on(node).size();
    }

    /** The number of Pods on a Node in the same group as a Pod. */
    int siblings(JsonNode pod, String node) {
        return byGroup.getOrDefault(node, Map.of()).getOrDefault(group(pod), 0);
    }

    /**
     * The group of a Pod: its owner, else its labels, by which a Service selects it. ReplicaSets of one Deployment are
     * different owners, so the Pods of each set are spread.
     */
    private static String group(JsonNode pod) {
        return Meta.namespace(pod) + "/"
                + Owners.controller(pod)
                        .map(owner -> owner.path("uid").asText())
                        .orElseGet(() -> Meta.labels(pod).toString());
    }
}
