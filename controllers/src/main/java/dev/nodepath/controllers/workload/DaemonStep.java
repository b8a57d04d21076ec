package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.ReplicaLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The next step for a DaemonSet.
 *
 * @param created Nodes for new Pods
 * @param deleted Pods to delete
 */
record DaemonStep(List<String> created, List<ObjectNode> deleted) {
    DaemonStep {
        created = List.copyOf(created);
        deleted = List.copyOf(deleted);
    }

    /**
     * The next step. Each Node keeps one Pod, the oldest unfinished one. A rolling update deletes Pods of older
     * revisions while enough other Pods are available; unavailable ones are deleted at once.
     *
     * @param hash of the newest revision
     */
    static DaemonStep of(
            JsonNode set, Collection<ObjectNode> nodes, Collection<ObjectNode> pods, String hash, Instant now) {
        Map<String, List<ObjectNode>> byNode = pods.stream()
                .filter(pod -> !Meta.isTerminating(pod))
                .sorted(Comparator.comparing((ObjectNode pod) -> PodState.isFinished(pod))
                        .thenComparing(Meta::created)
                        .thenComparing(Meta::name))
                .collect(Collectors.groupingBy(DaemonPods::node, TreeMap::new, Collectors.toList()));
        List<String> created = new ArrayList<>();
        List<ObjectNode> deleted = new ArrayList<>();
        List<ObjectNode> kept = new ArrayList<>();
        int desired = 0;
        for (ObjectNode node : nodes) {
            List<ObjectNode> here = byNode.getOrDefault(Meta.name(node), List.of());
            boolean belongs = DaemonPods.belongs(set, node);
            desired += belongs ? 1 : 0;
            if (here.isEmpty()) {
                if (belongs && !isLeaving(pods, node)) {
                    created.add(Meta.name(node));
                }
            } else if (!belongs && !DaemonPods.stays(set, node)) {
                deleted.addAll(here);
            } else {
                boolean finished = PodState.isFinished(here.get(0));
                deleted.addAll(finished ? here : here.subList(1, here.size()));
                kept.addAll(finished ? List.of() : here.subList(0, 1));
            }
        }
        Set<String> present = nodes.stream().map(Meta::name).collect(Collectors.toSet());
        pods.stream()
                .filter(pod -> PodState.node(pod).isEmpty() && !present.contains(DaemonPods.node(pod)))
                .forEach(deleted::add); // it will never be bound
        deleted.addAll(outdated(set, kept, hash, desired, now));
        return new DaemonStep(created, deleted);
    }

    /** A Node's old Pod ends before the next one starts, as both may need the same port of the Node. */
    private static boolean isLeaving(Collection<ObjectNode> pods, JsonNode node) {
        return pods.stream()
                .anyMatch(pod -> Meta.isTerminating(pod) && DaemonPods.node(pod).equals(Meta.name(node)));
    }

    private static List<ObjectNode> outdated(
            JsonNode set, List<ObjectNode> kept, String hash, int desired, Instant now) {
        JsonNode strategy = set.path("spec").path("updateStrategy");
        if (strategy.path("type").asText("RollingUpdate").equals("OnDelete")) {
            return List.of();
        }
        JsonNode limit = strategy.path("rollingUpdate").path("maxUnavailable");
        int unavailableMax = Math.max(1, ReplicaLimit.roundedUp(limit, desired, "1"));
        Duration minReady = PodCounts.minReady(set);
        int available = PodCounts.of(kept, minReady, now).available();
        int budget = unavailableMax - (desired - available);
        List<ObjectNode> deleted = new ArrayList<>();
        for (ObjectNode pod : kept) {
            if (!Meta.labels(pod).path(Revisions.LABEL).asText("").equals(hash)) {
                boolean serves = PodState.isAvailable(pod, minReady, now);
                if (!serves || budget > 0) {
                    deleted.add(pod);
                    budget -= serves ? 1 : 0;
                }
            }
        }
        return deleted;
    }
}
