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
 * All that policies depend on, at one moment. Immutable; a changed one shares what did not change.
 *
 * @param namespaces the labels of each namespace
 * @param pods the pods by name
 * @param policies the policies by name
 */
public record PolicySnapshot(
        PMap<String, Map<String, String>> namespaces,
        PMap<NamespacedName, PolicyPod> pods,
        PMap<NamespacedName, NetworkPolicy> policies) {
    /** A cluster without objects. */
    public static final PolicySnapshot EMPTY =
            new PolicySnapshot(HashTreePMap.empty(), HashTreePMap.empty(), HashTreePMap.empty());

    /** The policies of each namespace, in order. */
    public Map<String, List<NetworkPolicy>> policiesByNamespace() {
        return policies.values().stream()
                .sorted(Comparator.comparing(NetworkPolicy::name))
                .collect(Collectors.groupingBy(policy -> policy.name().namespace()));
    }

    /** Whether a peer is a pod's. */
    public boolean matches(PodPeer peer, PolicyPod pod) {
        return peer.matches(pod, Optional.ofNullable(namespaces.get(pod.name().namespace())));
    }

    /** The same with other namespaces. */
    public PolicySnapshot withNamespaces(PMap<String, Map<String, String>> others) {
        return new PolicySnapshot(others, pods, policies);
    }

    /** The same with other pods. */
    public PolicySnapshot withPods(PMap<NamespacedName, PolicyPod> others) {
        return new PolicySnapshot(namespaces, others, policies);
    }

    /** The same with other policies. */
    public PolicySnapshot withPolicies(PMap<NamespacedName, NetworkPolicy> others) {
        return new PolicySnapshot(namespaces, pods, others);
    }
}
