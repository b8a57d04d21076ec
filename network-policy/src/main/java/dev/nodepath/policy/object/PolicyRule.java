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
    /** The most rules of a policy in one direction, by their {@link #size}. */
    static final long SIZES_MAX = 4096;

    public PolicyRule {
        peers = List.copyOf(peers);
        ports = List.copyOf(ports);
    }

    /** As how many it counts: each peer with each port. All networks count as one peer. */
    long size() {
        long networks = peers.stream().filter(BlockPeer.class::isInstance).count();
        long ends = peers.size() - Math.max(0, networks - 1);
        return Math.max(1, ends) * Math.max(1, ports.size());
    }

    /** The words for a policy with more. */
    static String tooMany(long sizes) {
        return sizes + " rules, peers times ports (expected: at most " + SIZES_MAX + ")";
    }
}
