package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
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
record Insiders(Set<IpAddress> node, List<Cidr> pods) implements Predicate<IpAddress> {
    /** Copies the collections. */
    Insiders {
        node = Set.copyOf(node);
        pods = List.copyOf(pods);
    }

    static Insiders of(@Nullable NodeInfo node, List<Cidr> pods) {
        return new Insiders(node == null ? Set.of() : new HashSet<>(node.addresses()), pods);
    }

    @Override
    public boolean test(IpAddress client) {
        return client.isLoopback() || node.contains(client) || pods.stream().anyMatch(cidr -> cidr.contains(client));
    }
}
