package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A policy ({@code networking.k8s.io/v1}). It isolates the pods that it selects, and its rules allow connections.
 *
 * @param subjects selects pods of its namespace
 * @param rules the rules of each direction that it isolates
 */
public record NetworkPolicy(NamespacedName name, LabelSelector subjects, Map<Direction, List<PolicyRule>> rules) {
    public NetworkPolicy {
        Map<Direction, List<PolicyRule>> copy = new EnumMap<>(Direction.class);
        rules.forEach((direction, list) -> copy.put(direction, List.copyOf(list)));
        rules = Map.copyOf(copy);
    }

    /** Whether it isolates a pod in a direction. */
    public boolean isolates(PolicyPod pod, Direction direction) {
        return rules.containsKey(direction)
                && name.namespace().equals(pod.name().namespace())
                && subjects.matches(pod.labels());
    }

    /** The rules of a direction; empty if it does not isolate in this direction. */
    public Optional<List<PolicyRule>> rules(Direction direction) {
        return Optional.ofNullable(rules.get(direction));
    }
}
