package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The clients whose address an endpoint may see in place of this node's: those whose answers come back through this node.
 * An answer between two pods of this node does not, as the bridge passes it, and neither does one that leaves the cluster
 * from another node.
 *
 * @param internal pods and this node itself
 * @param ownPods the networks of this node's pods; empty to keep no address
 * @param nodes the addresses of all nodes, which may be in the networks of pods
 */
public record KeptClients(InternalClients internal, List<Cidr> ownPods, Set<IpAddress> nodes) {
    /** Keeps no address. */
    public static final KeptClients NONE =
            new KeptClients(new InternalClients(Set.of(), List.of()), List.of(), Set.of());

    /** Copies the list. */
    public KeptClients {
        ownPods = List.copyOf(ownPods);
        nodes = Set.copyOf(nodes);
    }

    /** Those of a node in a cluster. */
    public static KeptClients of(NodeInfo node, Collection<NodeInfo> all, InternalClients internal) {
        Set<IpAddress> nodes =
                all.stream().flatMap(each -> each.addresses().stream()).collect(Collectors.toSet());
        return new KeptClients(internal, node.podCidrs(), nodes);
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
            return internal.isPod(endpoint) && !isOwnPod(endpoint) && !nodes.contains(endpoint);
        }
        return localOnly && !internal.isPod(client) && isOwnPod(endpoint);
    }

    private boolean isOwnPod(IpAddress address) {
        return ownPods.stream().anyMatch(network -> network.contains(address));
    }
}
