package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Set;

/**
 * The clients whose address an endpoint may see in place of this node's: those whose answers come back through this node.
 * An answer between two pods of this node does not, as the bridge passes it, and neither does one that leaves the cluster
 * from another node.
 *
 * @param internal pods and this node itself
 * @param ownPods the networks of this node's pods; empty to keep no address
 */
public record KeptClients(InternalClients internal, List<Cidr> ownPods) {
    /** Keeps no address. */
    public static final KeptClients NONE = new KeptClients(new InternalClients(Set.of(), List.of()), List.of());

    /** Copies the list. */
    public KeptClients {
        ownPods = List.copyOf(ownPods);
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
            return internal.isPod(endpoint) && !isOwnPod(endpoint);
        }
        return localOnly && !internal.isPod(client) && isOwnPod(endpoint);
    }

    private boolean isOwnPod(IpAddress address) {
        return ownPods.stream().anyMatch(network -> network.contains(address));
    }
}
