package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.rule.Match;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How rules recognise the traffic of this node's pods: kube-proxy's {@code --detect-local-mode}. If they cannot,
 * traffic to a cluster IP is not masqueraded, and node ports treat pods as external clients.
 */
public sealed interface DetectLocal {
    /** Not at all. */
    DetectLocal NONE = new ClusterCidr(List.of());

    /** The match of a packet from a pod, or of any other packet if negated. Empty if pods cannot be recognised. */
    Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated);

    /**
     * By the network of all pods of the cluster.
     *
     * @param networks at most one of each family
     */
    record ClusterCidr(List<Cidr> networks) implements DetectLocal {
        /** Checks that there is one network of each family. */
        public ClusterCidr {
            networks = List.copyOf(networks);
            for (IpFamily family : IpFamily.values()) {
                if (networks.stream().filter(cidr -> cidr.family() == family).count() > 1) {
                    throw new IllegalArgumentException(
                            "clusterCidrs: " + networks + " (expected: at most one of " + family + ")");
                }
            }
        }

        @Override
        public Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated) {
            return first(networks, family).map(cidr -> new Match.Source(cidr, negated));
        }
    }

    /** By the network of the pods of this node: {@code spec.podCIDRs} of the Node. */
    record NodeCidr() implements DetectLocal {
        @Override
        public Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated) {
            return node == null
                    ? Optional.empty()
                    : first(node.podCidrs(), family).map(cidr -> new Match.Source(cidr, negated));
        }
    }

    /** By the link that receives the packet. */
    record Link(Match.InputInterface link) implements DetectLocal {
        @Override
        public Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated) {
            return Optional.of(new Match.InputInterface(link.name(), negated));
        }
    }

    /**
     * By the bridge of the pods.
     *
     * @throws IllegalArgumentException if no link can have this name
     */
    static DetectLocal bridgeInterface(String name) {
        return new Link(new Match.InputInterface(name, false));
    }

    /**
     * By a prefix of the link's name.
     *
     * @throws IllegalArgumentException if no link can have a name with this prefix
     */
    static DetectLocal interfaceNamePrefix(String prefix) {
        return new Link(new Match.InputInterface(prefix + "+", false));
    }

    private static Optional<Cidr> first(List<Cidr> cidrs, IpFamily family) {
        return cidrs.stream().filter(cidr -> cidr.family() == family).findFirst();
    }
}
