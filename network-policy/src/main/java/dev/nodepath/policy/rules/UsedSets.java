package dev.nodepath.policy.rules;

import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.Peer;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.PolicyRule;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the rules of all policies ask of pods.
 *
 * @param peers the chosen groups of pods
 * @param ports the ports that are given by name
 */
record UsedSets(Set<PodPeer> peers, Set<PolicyPort> ports) {
    static final UsedSets NONE = new UsedSets(Set.of(), Set.of());

    static UsedSets of(Collection<NetworkPolicy> policies) {
        Set<PodPeer> peers = new LinkedHashSet<>();
        Set<PolicyPort> ports = new LinkedHashSet<>();
        for (NetworkPolicy policy : policies) {
            for (List<PolicyRule> rules : policy.rules().values()) {
                for (PolicyRule rule : rules) {
                    rule.ports().stream().filter(PolicyPort::isNamed).forEach(ports::add);
                    for (Peer peer : rule.peers()) {
                        if (peer instanceof PodPeer pods) {
                            peers.add(pods);
                        }
                    }
                }
            }
        }
        return new UsedSets(peers, ports);
    }

    boolean isEmpty() {
        return peers.isEmpty() && ports.isEmpty();
    }

    /** What only one of the two has. */
    UsedSets difference(UsedSets other) {
        return new UsedSets(difference(peers, other.peers), difference(ports, other.ports));
    }

    private static <T> Set<T> difference(Set<T> one, Set<T> other) {
        Set<T> difference = new LinkedHashSet<>();
        one.stream().filter(each -> !other.contains(each)).forEach(difference::add);
        other.stream().filter(each -> !one.contains(each)).forEach(difference::add);
        return difference;
    }

    /** Whether a pod is an element of one of these sets. */
    boolean concern(PolicyPod pod, PolicySnapshot snapshot) {
        return peers.stream().anyMatch(peer -> snapshot.matches(peer, pod))
                || ports.stream().anyMatch(port -> pod.ports().stream().anyMatch(each -> isOf(each, port)));
    }

    /** Whether a port of a pod is one of a set. */
    static boolean isOf(PolicyPod.NamedPort port, PolicyPort set) {
        return port.name().equals(set.name()) && port.protocol() == set.protocol();
    }
}
