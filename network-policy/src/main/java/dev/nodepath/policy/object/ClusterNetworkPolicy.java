package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A policy of the whole cluster ({@code policy.networking.k8s.io/v1alpha2}). Its rules decide about connections of its
 * subjects; it does not decide about connections that no rule matches. Policies are ordered by tier, by priority, and
 * then by name, as the API leaves this open.
 *
 * @param name without a namespace
 * @param priority 0 to 1000; policies with lower ones are asked first
 * @param subjects the pods that it applies to
 * @param rules the rules of each direction with rules; the first match decides
 */
public record ClusterNetworkPolicy(
        NamespacedName name, Tier tier, int priority, PodPeer subjects, Map<Direction, List<ClusterRule>> rules)
        implements Comparable<ClusterNetworkPolicy> {
    private static final Comparator<ClusterNetworkPolicy> ORDER = Comparator.comparing(ClusterNetworkPolicy::tier)
            .thenComparing(ClusterNetworkPolicy::priority)
            .thenComparing(ClusterNetworkPolicy::name);

    /** A direction without rules is left out. */
    public ClusterNetworkPolicy {
        Map<Direction, List<ClusterRule>> copy = new EnumMap<>(Direction.class);
        rules.forEach((direction, list) -> {
            if (!list.isEmpty()) {
                copy.put(direction, List.copyOf(list));
            }
        });
        rules = Map.copyOf(copy);
    }

    /** The rules of a direction, in order. */
    public List<ClusterRule> rules(Direction direction) {
        return rules.getOrDefault(direction, List.of());
    }

    /** Whether it can refuse connections of a direction. */
    public boolean refuses(Direction direction) {
        return rules(direction).stream().anyMatch(rule -> rule.action() == ClusterRule.Action.DENY);
    }

    /** Whether a rule refers to Nodes. */
    public boolean hasNodes() {
        return hasPeer(NodePeer.class);
    }

    /** Whether a rule names domains, which are not enforced. */
    public boolean hasDomainNames() {
        return hasPeer(DomainPeer.class);
    }

    private boolean hasPeer(Class<? extends Peer> kind) {
        return rules.values().stream()
                .flatMap(List::stream)
                .flatMap(rule -> rule.matches().peers().stream())
                .anyMatch(kind::isInstance);
    }

    @Override
    public int compareTo(ClusterNetworkPolicy other) {
        return ORDER.compare(this, other);
    }
}
