package dev.nodepath.policy.object;

import java.util.List;

/**
 * The connections of a policy's rule, in one direction.
 *
 * @param number its place in the policy, from 0
 * @param peers the other end is one of them; none means any
 * @param ports the destination port is one of them; none means any port of any protocol
 */
public record PolicyRule(int number, List<Peer> peers, List<PolicyPort> ports) {
    /** The most rules of a policy in one direction, by their {@link #size}. */
    static final long SIZES_MAX = 4096;

    public PolicyRule {
        peers = List.copyOf(peers);
        ports = List.copyOf(ports);
    }

    /** The number of kernel rules that it needs: one for each peer with each port. All networks count as one peer. */
    long size() {
        long networks = peers.stream().filter(BlockPeer.class::isInstance).count();
        long ends = peers.size() - Math.max(0, networks - 1);
        return Math.max(1, ends) * Math.max(1, ports.size());
    }

    /** The message about a policy with more. */
    static String tooMany(long sizes) {
        return sizes + " rules, peers times ports (expected: at most " + SIZES_MAX + ")";
    }
}
