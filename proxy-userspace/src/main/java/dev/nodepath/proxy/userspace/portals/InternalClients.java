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
 * Pods and this node itself: to them {@code externalTrafficPolicy: Local} does not apply.
 *
 * @param node this node's own addresses
 * @param pods where pods are
 */
public record InternalClients(Set<IpAddress> node, List<Cidr> pods) implements Predicate<IpAddress> {
    /** Copies the collections. */
    public InternalClients {
        node = Set.copyOf(node);
        pods = List.copyOf(pods);
    }

    /**
     * Those of a moment.
     *
     * @param host addresses of links; a Node names few of them
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
        return client.isLoopback() || node.contains(client) || pods.stream().anyMatch(cidr -> cidr.contains(client));
    }
}
