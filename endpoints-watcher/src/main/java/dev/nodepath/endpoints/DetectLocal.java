package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
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

    /** The common property of packets from the node's pods. Empty if pods cannot be recognised. */
    Optional<Traffic> traffic(IpFamily family, @Nullable NodeInfo node);

    /** A common property of packets from pods. */
    sealed interface Traffic {}

    /** Their source address is one of a network. */
    record FromNetwork(Cidr network) implements Traffic {}

    /**
     * They come in through a link.
     *
     * @param prefix whether the name is a prefix of the names of such links
     */
    record FromLink(String name, boolean prefix) implements Traffic {
        /** The kernel's limit ({@code IFNAMSIZ} without the end of the string). */
        private static final int MAX_CHARS = 15;

        /** Checks the name, because white space would begin another option of a rule. */
        public FromLink {
            int max = prefix ? MAX_CHARS - 1 : MAX_CHARS;
            if (name.isEmpty() || name.length() > max || name.chars().anyMatch(FromLink::isForbidden)) {
                throw new IllegalArgumentException("\"" + name + "\" (expected: 1 to " + max
                        + " characters, no slashes, quotes, stars or white space)");
            }
        }

        private static boolean isForbidden(int c) {
            return c == '/' || c == '"' || c == '*' || Character.isWhitespace(c) || Character.isISOControl(c);
        }
    }

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
                    throw new IllegalArgumentException(networks + " (expected: at most one of " + family + ")");
                }
            }
        }

        @Override
        public Optional<Traffic> traffic(IpFamily family, @Nullable NodeInfo node) {
            return first(networks, family);
        }
    }

    /** By the network of the pods of this node: {@code spec.podCIDRs} of the Node. */
    record NodeCidr() implements DetectLocal {
        @Override
        public Optional<Traffic> traffic(IpFamily family, @Nullable NodeInfo node) {
            return node == null ? Optional.empty() : first(node.podCidrs(), family);
        }
    }

    /** By the link that receives the packet. */
    record Link(FromLink link) implements DetectLocal {
        @Override
        public Optional<Traffic> traffic(IpFamily family, @Nullable NodeInfo node) {
            return Optional.of(link);
        }
    }

    /**
     * By the bridge of the pods.
     *
     * @throws IllegalArgumentException if no link can have this name
     */
    static DetectLocal bridgeInterface(String name) {
        return new Link(new FromLink(name, false));
    }

    /**
     * By a prefix of the link's name.
     *
     * @throws IllegalArgumentException if no link can have a name with this prefix
     */
    static DetectLocal interfaceNamePrefix(String prefix) {
        return new Link(new FromLink(prefix, true));
    }

    private static Optional<Traffic> first(List<Cidr> cidrs, IpFamily family) {
        return cidrs.stream()
                .filter(cidr -> cidr.family() == family)
                .findFirst()
                .map(FromNetwork::new);
    }
}
