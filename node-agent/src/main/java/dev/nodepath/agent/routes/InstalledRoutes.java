package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;

/**
 * Our routes, neighbours and forwarding entries on a node.
 *
 * @param routes the routes with our protocol number
 * @param overlayIndex the overlay link's; empty if there is none
 */
record InstalledRoutes(
        List<ListedRoute> routes,
        Optional<Integer> overlayIndex,
        List<Neighbour> neighbours,
        List<Forwarding> forwardings) {

    InstalledRoutes {
        routes = List.copyOf(routes);
        neighbours = List.copyOf(neighbours);
        forwardings = List.copyOf(forwardings);
    }

    /** Asks the kernel. */
    static InstalledRoutes read(NetworkNamespace namespace, Optional<Integer> overlayIndex) throws LinuxNetException {
        List<ListedRoute> routes = namespace.listedRoutes().stream()
                .filter(each -> each.options().protocol().orElse(0) == PodRoutes.PROTOCOL)
                .toList();
        if (overlayIndex.isEmpty()) {
            return new InstalledRoutes(routes, overlayIndex, List.of(), List.of());
        }
        int index = overlayIndex.get();
        return new InstalledRoutes(
                routes,
                overlayIndex,
                namespace.neighbourTables().neighbours(index),
                namespace.neighbourTables().forwardings(index));
    }
}
