package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * All objects that policies depend on, at one moment. Immutable; a changed snapshot shares its unchanged parts.
 *
 * @param namespaces the labels of each namespace
 * @param pods the pods by name
 * @param policies the NetworkPolicies by name
 * @param clusterPolicies the ClusterNetworkPolicies by name
 * @param nodes the Nodes by name; none unless a rule refers to them
 */
public record PolicySnapshot(
        PMap<String, Map<String, String>> namespaces,
        PMap<NamespacedName, PolicyPod> pods,
        PMap<NamespacedName, NetworkPolicy> policies,
        PMap<NamespacedName, ClusterNetworkPolicy> clusterPolicies,
        PMap<NamespacedName, LabelledNode> nodes) {
    /** A cluster without objects. */
    public static final PolicySnapshot EMPTY = new PolicySnapshot(
            HashTreePMap.empty(),
            HashTreePMap.empty(),
            HashTreePMap.empty(),
            HashTreePMap.empty(),
            HashTreePMap.empty());

    /** Whether there is no policy of either kind. */
    public boolean isWithoutPolicies() {
        return policies.isEmpty() && clusterPolicies.isEmpty();
    }

    /** The ClusterNetworkPolicies in the order of their evaluation. */
    public List<ClusterNetworkPolicy> clusterPoliciesInOrder() {
        return clusterPolicies.values().stream().sorted().toList();
    }

    /** The policies of each namespace, in order. */
    public Map<String, List<NetworkPolicy>> policiesByNamespace() {
        return policies.values().stream()
                .sorted(Comparator.comparing(NetworkPolicy::name))
                .collect(Collectors.groupingBy(policy -> policy.name().namespace()));
    }

    /** Whether a peer selects a pod. */
    public boolean matches(PodPeer peer, PolicyPod pod) {
        return isIn(peer, pod.name().namespace()) && peer.pods().matches(pod.labels());
    }

    /** Whether a peer can select pods of a namespace. */
    public boolean isIn(PodPeer peer, String namespace) {
        return peer.isIn(namespace, Optional.ofNullable(namespaces.get(namespace)));
    }
}
