package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.linux.address.IpAddress;

/** The source address that a backend must see in each mode. */
final class ExpectedSource {
    private final Cluster cluster;

    ExpectedSource(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The address that a backend on a node sees of a call from a caller. */
    IpAddress of(Mode mode, Caller caller, String backendNode) {
        return switch (mode) {
            case DIRECT -> caller.kind() == Caller.Kind.NODE ? ofNode(caller.node(), backendNode) : caller.address();
            // The relay makes a connection of its own from the node.
            case USERSPACE -> ofNode(caller.node(), backendNode);
            // Only calls from pods keep their source. All others are masqueraded, so that the answer returns through
            // this node.
            case KEPT, IPTABLES, NFTABLES ->
                caller.kind() == Caller.Kind.POD ? caller.address() : ofNode(caller.node(), backendNode);
        };
    }

    /** The source that a pod sees when it calls itself through a Service: masqueraded in every mode. */
    IpAddress ofHairpin(String node) {
        return cluster.gatewayAddress(node);
    }

    /** A node uses its bridge's address for its own pods, and its node address for other pods. */
    private IpAddress ofNode(String node, String backendNode) {
        return node.equals(backendNode) ? cluster.gatewayAddress(node) : cluster.nodeAddress(node);
    }
}
