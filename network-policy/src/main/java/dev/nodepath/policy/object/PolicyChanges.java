package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.Set;

/**
 * The names of the differences between two snapshots.
 *
 * @param policies NetworkPolicies
 * @param clusterPolicies ClusterNetworkPolicies
 */
public record PolicyChanges(
        Set<String> namespaces,
        Set<NamespacedName> pods,
        Set<NamespacedName> policies,
        Set<NamespacedName> clusterPolicies,
        Set<NamespacedName> nodes) {
    /** No difference. */
    public static final PolicyChanges NONE = new PolicyChanges(Set.of(), Set.of(), Set.of());

    public PolicyChanges {
        namespaces = Set.copyOf(namespaces);
        pods = Set.copyOf(pods);
        policies = Set.copyOf(policies);
        clusterPolicies = Set.copyOf(clusterPolicies);
        nodes = Set.copyOf(nodes);
    }

    /** Changes that concern NetworkPolicies. */
    public PolicyChanges(Set<String> namespaces, Set<NamespacedName> pods, Set<NamespacedName> policies) {
        this(namespaces, pods, policies, Set.of(), Set.of());
    }

    /** Whether nothing differs. */
    public boolean isEmpty() {
        return namespaces.isEmpty()
                && pods.isEmpty()
                && policies.isEmpty()
                && clusterPolicies.isEmpty()
                && nodes.isEmpty();
    }
}
