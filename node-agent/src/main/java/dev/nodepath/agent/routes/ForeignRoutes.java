package dev.nodepath.agent.routes;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.ListedRoute;
import dev.nodepath.linux.Route;
import java.util.List;
import java.util.Optional;

/** The routes of a node that are not ours: which of them a podCIDR would collide with. */
final class ForeignRoutes {
    private final Surroundings host;
    private final List<Route> routes;

    ForeignRoutes(Surroundings host, String overlayName) {
        this.host = host;
        this.routes = host.routes().stream()
                .filter(each -> each.options().protocol().orElse(0) != PodRoutes.PROTOCOL)
                .map(ListedRoute::route)
                .filter(route -> !host.linkName(route.linkIndex()).equals(overlayName))
                .toList();
    }

    /** Whether somebody else keeps just this route. */
    boolean has(Route route) {
        return routes.contains(route);
    }

    /**
     * What stands in the way of a route to a podCIDR: a route to the same network or a part of it, whose traffic would go
     * elsewhere than to the pods, or a network on a link that the podCIDR is a part of, whose hosts would be cut off. A wider
     * network behind a gateway is not: the default route is one.
     *
     * @param allowed the link whose routes are fine; empty for none
     */
    Optional<String> obstacle(Cidr podCidr, String allowed) {
        return routes.stream()
                .filter(route -> isInTheWay(route, podCidr))
                .filter(route -> !host.linkName(route.linkIndex()).equals(allowed))
                .findFirst()
                .map(route -> "podCIDR " + podCidr + " overlaps this host's route " + text(route)
                        + " (expected: a network of its own)");
    }

    private static boolean isInTheWay(Route route, Cidr podCidr) {
        Cidr destination = route.destination();
        if (destination.prefixLength() == 0 || !destination.overlaps(podCidr)) {
            return false;
        }
        return destination.prefixLength() >= podCidr.prefixLength()
                || route.gateway().isEmpty();
    }

    private String text(Route route) {
        return route.destination()
                + route.gateway().map(gateway -> " via " + gateway).orElse("") + " dev "
                + host.linkName(route.linkIndex());
    }
}
