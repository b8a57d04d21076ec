package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The order in which a ReplicaSet deletes Pods: the least useful ones first. The order is that of Kubernetes'
 * "ReplicaSet" page, section "Scaling a ReplicaSet".
 */
final class DeletionOrder {
    private static final String COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final List<String> PHASES = List.of("Pending", "Unknown", "Running");

    private DeletionOrder() {}

    /** The Pods; the first is deleted first. */
    static <T extends JsonNode> List<T> sort(Collection<T> pods) {
        Map<String, Long> perNode = pods.stream().collect(Collectors.groupingBy(PodState::node, Collectors.counting()));
        Comparator<JsonNode> byLoss = Comparator.<JsonNode, Boolean>comparing(
                        pod -> !PodState.node(pod).isEmpty())
                .thenComparing(pod -> PHASES.indexOf(PodState.phase(pod)))
                .thenComparing(PodState::isReady)
                .thenComparing(DeletionOrder::cost)
                .thenComparing(pod -> -perNode.getOrDefault(PodState.node(pod), 0L))
                .thenComparing(latest(pod -> PodState.readySince(pod).orElse(Instant.EPOCH)))
                .thenComparing(pod -> -restarts(pod))
                .thenComparing(latest(Meta::created))
                .thenComparing(Meta::name);
        return pods.stream().sorted(byLoss).toList();
    }

    private static Comparator<JsonNode> latest(Function<JsonNode, Instant> time) {
        return Comparator.comparing(time).reversed();
    }

    private static int cost(JsonNode pod) {
        try {
            return Integer.parseInt(Meta.annotation(pod, COST));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static int restarts(JsonNode pod) {
        int restarts = 0;
        for (JsonNode each : pod.path("status").path("containerStatuses")) {
            restarts = Math.max(restarts, each.path("restartCount").asInt(0));
        }
        return restarts;
    }
}
