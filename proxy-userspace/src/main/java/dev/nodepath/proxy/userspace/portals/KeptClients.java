package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The clients whose address an endpoint may see instead of this node's: their answers come back through this node. The
 * answers between two pods of this node do so if the bridge passes them to connection tracking. A connection that
 * leaves the cluster through another node does not qualify.
 *
 * @param internal pods and this node itself
 * @param ownPods the networks of this node's pods; empty to keep no address
 * @param nodes the addresses of all nodes, which may be in the networks of pods
 * @param bridged the networks of bridges that pass answers to connection tracking
 * @param sources gives connections the addresses of clients
 */
public record KeptClients(
        InternalClients internal, List<Cidr> ownPods, Set<IpAddress> nodes, List<Cidr> bridged, Sources sources) {
    /** Keeps no address. */
    public static final KeptClients NONE =
            new KeptClients(InternalClients.NONE, List.of(), Set.of(), List.of(), client -> 0);

    /** Gives connections of the relay the addresses of clients. */
    @FunctionalInterface
    public interface Sources {
        /** The number that gives a connection a client's address; 0 means the node's address. */
        int number(IpAddress client);

        /**
         * Whether the endpoint of a connection sees another client.
         *
         * @param local the socket's own address
         */
        default boolean showsAnother(IpAddress client, InetSocketAddress local, InetSocketAddress endpoint) {
            return false;
        }
    }

    public KeptClients {
        ownPods = List.copyOf(ownPods);
        nodes = Set.copyOf(nodes);
        bridged = List.copyOf(bridged);
    }

    /** The kept clients of a node in a cluster, without numbers. */
    public static KeptClients of(
            NodeInfo node, Collection<NodeInfo> all, InternalClients internal, List<Cidr> bridged) {
        Set<IpAddress> nodes =
                all.stream().flatMap(each -> each.addresses().stream()).collect(Collectors.toSet());
        return new KeptClients(internal, node.podCidrs(), nodes, bridged, client -> 0);
    }

    /** The same clients with these sources. */
    public KeptClients with(Sources given) {
        return new KeptClients(internal, ownPods, nodes, bridged, given);
    }

    /**
     * The number that gives a connection to an endpoint the client's address; 0 means this node's address.
     *
     * @param localOnly whether the client's connection may go to endpoints of this node alone
     */
    public int number(IpAddress client, IpAddress endpoint, boolean localOnly) {
        return keeps(client, endpoint, localOnly) ? sources.number(client) : 0;
    }

    /** Whether there may be such clients. */
    public boolean keepsAny() {
        return !ownPods.isEmpty();
    }

    /**
     * Whether an endpoint may see a client's address.
     *
     * @param localOnly whether the client's connection may go to endpoints of this node alone
     */
    public boolean keeps(IpAddress client, IpAddress endpoint, boolean localOnly) {
        if (internal.isThisNode(client)) {
            return false;
        }
        if (isOwnPod(client)) {
            boolean pod = internal.isPod(endpoint) && !nodes.contains(endpoint) && !internal.isThisNode(endpoint);
            return pod && (!isOwnPod(endpoint) || isOnBridge(client, endpoint));
        }
        return localOnly && !internal.isPod(client) && isOwnPod(endpoint);
    }

    /** A pod drops packets with its own address as their source. */
    private boolean isOnBridge(IpAddress client, IpAddress endpoint) {
        return !client.equals(endpoint)
                && bridged.stream().anyMatch(network -> network.contains(client) && network.contains(endpoint));
    }

    private boolean isOwnPod(IpAddress address) {
        return ownPods.stream().anyMatch(network -> network.contains(address));
    }
}
