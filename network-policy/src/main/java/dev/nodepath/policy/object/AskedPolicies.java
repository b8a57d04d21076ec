package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.ArrayList;
import java.util.List;

/**
 * The policies that are asked about connections of a pod in one direction, in order. Pods with the same ones are of one
 * class.
 *
 * @param admin ClusterNetworkPolicies that are asked first
 * @param isolating NetworkPolicies that isolate the pod
 * @param baseline ClusterNetworkPolicies that are asked last; none if a NetworkPolicy isolates the pod
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
     * Those of a pod.
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

    /** Whether nothing is asked: every connection may be made. */
    public boolean isEmpty() {
        return admin.isEmpty() && isolating.isEmpty() && baseline.isEmpty();
    }
}
