package dev.nodepath.policy.object;

import java.util.List;

/**
 * The connections that a rule of a policy is about, in one direction.
 *
 * @param number its place in the policy, from 0
 * @param peers one of them is the other end; none means any
 * @param ports one of them is the destination port; none means any, and any protocol
 */
public record PolicyRule(int number, List<Peer> peers, List<PolicyPort> ports) {
    /** Copies the lists. */
    public PolicyRule {
        peers = List.copyOf(peers);
        ports = List.copyOf(ports);
    }
}
