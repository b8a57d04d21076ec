package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.Meta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The Node of a Pod, or why there is none.
 *
 * @param node empty if no Node takes it
 * @param message why not, in the words of kube-scheduler; empty if a Node takes it
 */
record Placement(String node, String message) {

    /**
     * Chooses the Node with the fewest Pods of the same owner, then with the fewest Pods, then by name.
     *
     * @param loads the Pods that have a Node; this Pod is added
     */
    static Placement of(JsonNode pod, Collection<? extends JsonNode> nodes, NodeLoads loads) {
        if (nodes.isEmpty()) {
            return new Placement("", "no nodes available to schedule pods");
        }
        PodTopology topology = new PodTopology(nodes, loads);
        Map<String, Integer> refusals = new TreeMap<>();
        List<String> fitting = new ArrayList<>();
        for (JsonNode node : nodes) {
            Optional<String> refusal = NodeFilter.refusal(pod, node).or(() -> topology.refusal(pod, node));
            refusal.ifPresentOrElse(
                    reason -> refusals.merge(reason, 1, Integer::sum), () -> fitting.add(Meta.name(node)));
        }
        if (fitting.isEmpty()) {
            return new Placement("", message(nodes.size(), refusals));
        }
        String best = fitting.stream()
                .min(Comparator.<String>comparingInt(node -> loads.siblings(pod, node))
                        .thenComparingInt(loads::count)
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
        loads.add(pod, best);
        return new Placement(best, "");
    }

    /** No Node takes the Pod, for a reason that is not in the Nodes. */
    static Placement nowhere(int nodes, String reason) {
        return new Placement("", "0/" + nodes + " nodes are available: " + reason + ".");
    }

    private static String message(int nodes, Map<String, Integer> refusals) {
        return refusals.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .sorted()
                .collect(Collectors.joining(", ", "0/" + nodes + " nodes are available: ", "."));
    }
}
