package dev.nodepath.policy;

import dev.nodepath.policy.object.ClusterNetworkPolicy;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.NodePeer;
import dev.nodepath.policy.object.Peer;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.PolicyRule;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The groups of pods, Nodes and ports that the rules of all policies refer to.
 *
 * @param peers the selected groups of pods, and the name of each group's set
 * @param nodes the selected groups of Nodes
 * @param ports the ports that are given by name
 */
record UsedSets(Map<PodPeer, String> peers, Set<NodePeer> nodes, Set<PolicyPort> ports) {
    static final UsedSets NONE = new UsedSets(Map.of(), Set.of(), Set.of());

    /** The sets of a snapshot; a set's name is a hash, which is taken from the sets before if the peer is known. */
    static UsedSets of(PolicySnapshot snapshot, UsedSets before) {
        UsedSets used = new UsedSets(new LinkedHashMap<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
        for (NetworkPolicy policy : snapshot.policies().values()) {
            policy.rules().values().forEach(rules -> rules.forEach(rule -> used.add(rule, before)));
        }
        for (ClusterNetworkPolicy policy : snapshot.clusterPolicies().values()) {
            policy.rules().values().forEach(rules -> rules.forEach(rule -> used.add(rule.matches(), before)));
        }
        return used;
    }

    private void add(PolicyRule rule, UsedSets before) {
        rule.ports().stream().filter(PolicyPort::isNamed).forEach(ports::add);
        for (Peer peer : rule.peers()) {
            if (peer instanceof PodPeer pods) {
                String known = before.peers.get(pods);
                peers.put(pods, known == null ? PolicyNames.peer(pods) : known);
            } else if (peer instanceof NodePeer chosen) {
                nodes.add(chosen);
            }
        }
    }

    boolean concernsPods() {
        return !peers.isEmpty() || !ports.isEmpty();
    }

    /** Without the peers that select no pod of a namespace: most peers select pods of one namespace. */
    UsedSets in(String namespace, PolicySnapshot snapshot) {
        Map<PodPeer, String> there = new LinkedHashMap<>(peers);
        there.keySet().removeIf(peer -> !snapshot.isIn(peer, namespace));
        return new UsedSets(there, nodes, ports);
    }

    /** The sets in only one of the two. */
    UsedSets difference(UsedSets other) {
        Map<PodPeer, String> different = new LinkedHashMap<>(peers);
        different.putAll(other.peers);
        different.keySet().removeIf(peer -> peers.containsKey(peer) && other.peers.containsKey(peer));
        return new UsedSets(different, difference(nodes, other.nodes), difference(ports, other.ports));
    }

    private static <T> Set<T> difference(Set<T> one, Set<T> other) {
        Set<T> difference = new LinkedHashSet<>();
        one.stream().filter(each -> !other.contains(each)).forEach(difference::add);
        other.stream().filter(each -> !one.contains(each)).forEach(difference::add);
        return difference;
    }

    /** Whether a pod is an element of one of these sets. */
    boolean concern(PolicyPod pod, PolicySnapshot snapshot) {
        return peers.keySet().stream().anyMatch(peer -> snapshot.matches(peer, pod))
                || ports.stream().anyMatch(port -> pod.ports().stream().anyMatch(each -> isOf(each, port)));
    }

    static boolean isOf(PolicyPod.NamedPort port, PolicyPort set) {
        return port.name().equals(set.name()) && port.protocol() == set.protocol();
    }
}
