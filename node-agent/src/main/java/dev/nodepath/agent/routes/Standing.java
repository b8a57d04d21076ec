package dev.nodepath.agent.routes;

import dev.nodepath.linux.Forwarding;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.ListedRoute;
import dev.nodepath.linux.Neighbour;
import dev.nodepath.linux.NetworkNamespace;
import java.util.List;
import java.util.Optional;

/**
 * What of ours stands on a node.
 *
 * @param routes those with our protocol number
 * @param overlayIndex the overlay link's; empty if there is none
 */
record Standing(
        List<ListedRoute> routes,
        Optional<Integer> overlayIndex,
        List<Neighbour> neighbours,
        List<Forwarding> forwardings) {

    /** Copies the lists. */
    Standing {
        routes = List.copyOf(routes);
        neighbours = List.copyOf(neighbours);
        forwardings = List.copyOf(forwardings);
    }

    /** Asks the kernel. */
    static Standing read(NetworkNamespace namespace, Optional<Integer> overlayIndex) throws LinuxNetException {
        List<ListedRoute> routes = namespace.listedRoutes().stream()
                .filter(each -> each.options().protocol().orElse(0) == PodRoutes.PROTOCOL)
                .toList();
        if (overlayIndex.isEmpty()) {
            return new Standing(routes, overlayIndex, List.of(), List.of());
        }
        int index = overlayIndex.get();
        return new Standing(
                routes,
                overlayIndex,
                namespace.neighbourTables().neighbours(index),
                namespace.neighbourTables().forwardings(index));
    }
}
