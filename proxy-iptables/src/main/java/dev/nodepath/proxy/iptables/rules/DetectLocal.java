package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.rule.Match;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the traffic of this node's pods is told from other traffic: kube-proxy's {@code --detect-local-mode}. Where it
 * cannot be told, nothing to a cluster IP is masqueraded, and pods are treated as strangers by node ports.
 */
public sealed interface DetectLocal {
    /** It is not. */
    DetectLocal NONE = new ClusterCidr(List.of());

    /** The match of a packet that comes from a pod, or that does not if negated; empty if it cannot be told. */
    Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated);

    /**
     * By the network that all pods of the cluster are in.
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

    /** By the network that the pods of this node are in: {@code spec.podCIDRs} of the Node. */
    record NodeCidr() implements DetectLocal {
        @Override
        public Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated) {
            return node == null
                    ? Optional.empty()
                    : first(node.podCidrs(), family).map(cidr -> new Match.Source(cidr, negated));
        }
    }

    /** By the link that the packet comes in through. */
    record Link(Match.InputInterface link) implements DetectLocal {
        @Override
        public Optional<Match> match(IpFamily family, @Nullable NodeInfo node, boolean negated) {
            return Optional.of(new Match.InputInterface(link.name(), negated));
        }
    }

    /**
     * By the bridge of the pods.
     *
     * @throws IllegalArgumentException if this is no name of a link
     */
    static DetectLocal bridgeInterface(String name) {
        return new Link(new Match.InputInterface(name, false));
    }

    /**
     * By the beginning of the name of the link.
     *
     * @throws IllegalArgumentException if no name of a link begins so
     */
    static DetectLocal interfaceNamePrefix(String prefix) {
        return new Link(new Match.InputInterface(prefix + "+", false));
    }

    private static Optional<Cidr> first(List<Cidr> cidrs, IpFamily family) {
        return cidrs.stream().filter(cidr -> cidr.family() == family).findFirst();
    }
}
