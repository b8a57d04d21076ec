package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pods and this node itself. {@code externalTrafficPolicy: Local} does not apply to them.
 *
 * @param node this node's own addresses
 * @param pods the networks of pods
 */
public record InternalClients(Set<IpAddress> node, List<Cidr> pods) implements Predicate<IpAddress> {
    /** Only loopback clients are internal. */
    public static final InternalClients NONE = new InternalClients(Set.of(), List.of());

    public InternalClients {
        node = Set.copyOf(node);
        pods = List.copyOf(pods);
    }

    /**
     * The internal clients at this moment.
     *
     * @param host the addresses of all links; a Node object names only some
     */
    public static InternalClients of(@Nullable NodeInfo node, Set<IpAddress> host, List<Cidr> pods) {
        Set<IpAddress> own = new HashSet<>(host);
        if (node != null) {
            own.addAll(node.addresses());
        }
        return new InternalClients(own, pods);
    }

    @Override
    public boolean test(IpAddress client) {
        return isThisNode(client) || isPod(client);
    }

    /** Whether it is an address of this node. */
    public boolean isThisNode(IpAddress address) {
        return address.isLoopback() || node.contains(address);
    }

    boolean isPod(IpAddress address) {
        return pods.stream().anyMatch(cidr -> cidr.contains(address));
    }
}
