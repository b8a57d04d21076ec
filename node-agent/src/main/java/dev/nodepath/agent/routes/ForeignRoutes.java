package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The foreign routes of a node, to find the ones that conflict with a podCIDR. */
final class ForeignRoutes {
    private final HostNetwork host;
    private final String podBridge;
    private final List<Route> routes;

    /**
     * The routes of the main table that the agent did not make.
     *
     * @param podBridge the link of this node's pods
     */
    ForeignRoutes(HostNetwork host, String overlayName, String podBridge) {
        this.host = host;
        this.podBridge = podBridge;
        this.routes = host.routes().stream()
                .filter(each -> each.options().protocol().orElse(0) != PodRoutes.PROTOCOL)
                .map(ListedRoute::route)
                .filter(route -> !host.linkName(route.linkIndex()).equals(overlayName))
                .toList();
    }

    /** Whether another program keeps exactly this route. */
    boolean has(Route route) {
        return routes.contains(route);
    }

    /**
     * A route that conflicts with a podCIDR: a route to the same network or a part of it, which would divert the pods'
     * traffic, or the network of a link that contains the podCIDR, so that the link's hosts would be cut off. A wider
     * network behind a gateway is no conflict: the default route is one.
     */
    Optional<String> obstacle(Cidr podCidr) {
        return first(podCidr, route -> true);
    }

    /** The route that overlaps a podCIDR of this node. Routes to the pods' bridge do not count. */
    Optional<String> obstacleOfOwn(Cidr podCidr) {
        return first(podCidr, route -> !isOfPods(route));
    }

    private Optional<String> first(Cidr podCidr, Predicate<Route> counts) {
        return routes.stream()
                .filter(route -> isInTheWay(route, podCidr))
                .filter(counts)
                .findFirst()
                .map(route -> "podCIDR " + podCidr + " overlaps this host's route " + text(route)
                        + (isOfPods(route)
                                ? " of an earlier podCIDR (expected: the pods of that podCIDR end; then " + podBridge
                                        + " loses the address)"
                                : " (expected: a network of its own)"));
    }

    private boolean isOfPods(Route route) {
        return host.linkName(route.linkIndex()).equals(podBridge);
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
