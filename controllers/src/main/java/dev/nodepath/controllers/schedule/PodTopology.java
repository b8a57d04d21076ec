package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides whether a Pod may run on a Node, from the Pods there and on Nodes of the same topology: host ports, required
 * affinity and anti-affinity, and spread constraints with {@code DoNotSchedule}.
 */
final class PodTopology {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    private final Collection<? extends JsonNode> nodes;
    private final NodeLoads loads;

    PodTopology(Collection<? extends JsonNode> nodes, NodeLoads loads) {
        this.nodes = nodes;
        this.loads = loads;
    }

    /** Why a Node does not take a Pod; empty if it does. */
    Optional<String> refusal(JsonNode pod, JsonNode node) {
        if (HostPorts.clash(pod, loads.on(Meta.name(node)))) {
            return Optional.of("node(s) didn't have free ports for the requested pod ports");
        }
        JsonNode spec = pod.path("spec");
        JsonNode affinity = spec.path("affinity");
        for (JsonNode term : affinity.path("podAffinity").path(REQUIRED)) {
            if (!hasPeer(term, pod, node) && !isFirstOfItsKind(term, pod)) {
                return Optional.of("node(s) didn't match pod affinity rules");
            }
        }
        for (JsonNode term : refusals(pod)) {
            if (hasPeer(term, pod, node)) {
                return Optional.of("node(s) didn't match pod anti-affinity rules");
            }
        }
        if (isRefusedByPods(pod, node)) {
            return Optional.of("node(s) didn't satisfy existing pods anti-affinity rules");
        }
        for (JsonNode constraint : spec.path("topologySpreadConstraints")) {
            Optional<String> refusal = skewRefusal(constraint, pod, node);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    /** The terms by which a Pod keeps other Pods away. */
    static JsonNode refusals(JsonNode pod) {
        return pod.path("spec").path("affinity").path("podAntiAffinity").path(REQUIRED);
    }

    /** Whether a Pod that the term selects runs in the Node's topology. */
    private boolean hasPeer(JsonNode term, JsonNode pod, JsonNode node) {
        String key = term.path("topologyKey").asText();
        JsonNode here = Meta.labels(node).path(key);
        return here.isTextual()
                && nodes.stream()
                        .filter(each -> here.equals(Meta.labels(each).path(key)))
                        .anyMatch(
                                each -> loads.on(Meta.name(each)).stream().anyMatch(other -> takes(term, pod, other)));
    }

    /** The first Pod of a group finds no other one: it may go anywhere. */
    private boolean isFirstOfItsKind(JsonNode term, JsonNode pod) {
        return takes(term, pod, pod)
                && nodes.stream()
                        .noneMatch(
                                each -> loads.on(Meta.name(each)).stream().anyMatch(other -> takes(term, pod, other)));
    }

    private boolean isRefusedByPods(JsonNode pod, JsonNode node) {
        for (JsonNode each : nodes) {
            for (JsonNode other : loads.refusing(Meta.name(each))) {
                for (JsonNode term : refusals(other)) {
                    String key = term.path("topologyKey").asText();
                    JsonNode there = Meta.labels(each).path(key);
                    if (there.isTextual() && there.equals(Meta.labels(node).path(key)) && takes(term, other, pod)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Whether the term of one Pod selects another. */
    private static boolean takes(JsonNode term, JsonNode holder, JsonNode candidate) {
        return isInNamespaces(term, holder, candidate)
                && SelectorMatch.matches(term.path("labelSelector"), Meta.labels(candidate));
    }

    private static boolean isInNamespaces(JsonNode term, JsonNode holder, JsonNode candidate) {
        JsonNode namespaces = term.path("namespaces");
        for (JsonNode each : namespaces) {
            if (each.asText().equals(Meta.namespace(candidate))) {
                return true;
            }
        }
        return namespaces.isEmpty() && Meta.namespace(holder).equals(Meta.namespace(candidate));
    }

    private Optional<String> skewRefusal(JsonNode constraint, JsonNode pod, JsonNode node) {
        if (!constraint.path("whenUnsatisfiable").asText("DoNotSchedule").equals("DoNotSchedule")) {
            return Optional.empty();
        }
        String key = constraint.path("topologyKey").asText();
        JsonNode here = Meta.labels(node).path(key);
        String reason = "node(s) didn't match pod topology spread constraints";
        if (!here.isTextual()) {
            return Optional.of(reason + " (missing required label)");
        }
        Map<String, Integer> counts = counts(constraint, pod, key);
        int least = counts.values().stream().min(Integer::compare).orElse(0);
        int itself = SelectorMatch.matches(constraint.path("labelSelector"), Meta.labels(pod)) ? 1 : 0;
        int skew = counts.getOrDefault(here.asText(), 0) + itself - least;
        return skew > constraint.path("maxSkew").asInt(1) ? Optional.of(reason) : Optional.empty();
    }

    /** The number of matching Pods in each topology that is possible for the Pod. */
    private Map<String, Integer> counts(JsonNode constraint, JsonNode pod, String key) {
        Map<String, Integer> counts = new HashMap<>();
        for (JsonNode node : nodes) {
            JsonNode topology = Meta.labels(node).path(key);
            if (topology.isTextual() && NodeFilter.matchesAffinity(pod, node)) {
                int matching = (int) loads.on(Meta.name(node)).stream()
                        .filter(other -> Meta.namespace(other).equals(Meta.namespace(pod)) && PodState.isActive(other))
                        .filter(other -> SelectorMatch.matches(constraint.path("labelSelector"), Meta.labels(other)))
                        .count();
                counts.merge(topology.asText(), matching, Integer::sum);
            }
        }
        return counts;
    }
}
