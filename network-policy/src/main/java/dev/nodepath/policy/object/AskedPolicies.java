package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.ArrayList;
import java.util.List;

/**
 * The policies for connections of a pod in one direction, in order. Pods with the same policies are of one class.
 *
 * @param admin ClusterNetworkPolicies of the tier Admin
 * @param isolating NetworkPolicies that isolate the pod
 * @param baseline ClusterNetworkPolicies of the tier Baseline; none if a NetworkPolicy isolates the pod
 * @param refuse whether one of them refuses connections
 */
public record AskedPolicies(
        List<NamespacedName> admin, List<NamespacedName> isolating, List<NamespacedName> baseline, boolean refuse) {
    public AskedPolicies {
        admin = List.copyOf(admin);
        isolating = List.copyOf(isolating);
        baseline = List.copyOf(baseline);
    }

    /**
     * The policies of a pod.
     *
     * @param ofNamespace the NetworkPolicies of its namespace, in order
     * @param ofCluster the ClusterNetworkPolicies, in order
     */
    public static AskedPolicies of(
            PolicyPod pod,
            Direction direction,
            List<NetworkPolicy> ofNamespace,
            List<ClusterNetworkPolicy> ofCluster,
            PolicySnapshot snapshot) {
        List<NamespacedName> isolating = ofNamespace.stream()
                .filter(policy -> policy.isolates(pod, direction))
                .map(NetworkPolicy::name)
                .toList();
        List<NamespacedName> admin = new ArrayList<>();
        List<NamespacedName> baseline = new ArrayList<>();
        boolean refuse = !isolating.isEmpty();
        for (ClusterNetworkPolicy policy : ofCluster) {
            boolean isAsked = policy.tier() == Tier.ADMIN || isolating.isEmpty();
            if (isAsked && !policy.rules(direction).isEmpty() && snapshot.matches(policy.subjects(), pod)) {
                (policy.tier() == Tier.ADMIN ? admin : baseline).add(policy.name());
                refuse |= policy.refuses(direction);
            }
        }
        return new AskedPolicies(admin, isolating, baseline, refuse);
    }

    /** Whether there are none: every connection is allowed. */
    public boolean isEmpty() {
        return admin.isEmpty() && isolating.isEmpty() && baseline.isEmpty();
    }
}
