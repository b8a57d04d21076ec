package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The steps from the installed routes to the planned ones. First come neighbours and forwarding entries that a route
 * needs, then routes, then the removal of entries that no route needs. So a packet always takes the old path or the new
 * one as a whole. Only an IPv6 route that moves to the overlay is missing for a moment.
 */
final class RouteSteps {
    private final InstalledRoutes standing;
    private final List<RouteStep> steps = new ArrayList<>();

    private RouteSteps(InstalledRoutes standing) {
        this.standing = standing;
    }

    /** Computes the steps. Without an overlay link it skips routes that need one. */
    static List<RouteStep> from(InstalledRoutes standing, List<NodeRoute> planned) {
        List<NodeRoute> possible = planned.stream()
                .filter(route ->
                        route.tunnel().isEmpty() || standing.overlayIndex().isPresent())
                .toList();
        return new RouteSteps(standing).to(possible);
    }

    private List<RouteStep> to(List<NodeRoute> planned) {
        Set<Neighbour> neighbours = new HashSet<>();
        Set<Forwarding> forwardings = new HashSet<>();
        for (NodeRoute route : planned) {
            if (route.tunnel().isPresent()) {
                NodeRoute.Tunnel tunnel = route.tunnel().get();
                int index = standing.overlayIndex().orElseThrow();
                neighbours.add(new Neighbour(index, route.gateway(), tunnel.mac()));
                forwardings.add(new Forwarding(index, tunnel.mac(), tunnel.remote()));
            }
        }
        Set<Neighbour> oldNeighbours = new HashSet<>(standing.neighbours());
        Set<Forwarding> oldForwardings = new HashSet<>(standing.forwardings());
        neighbours.stream()
                .filter(each -> !oldNeighbours.contains(each))
                .forEach(each -> steps.add(new RouteStep.SetNeighbour(each)));
        forwardings.stream()
                .filter(each -> !oldForwardings.contains(each))
                .forEach(each -> steps.add(new RouteStep.SetForwarding(each)));
        routes(planned);
        forgetForwardings(forwardings);
        forgetNeighbours(neighbours);
        return steps;
    }

    private void routes(List<NodeRoute> planned) {
        Map<Cidr, List<ListedRoute>> old = new HashMap<>();
        for (ListedRoute route : standing.routes()) {
            old.computeIfAbsent(route.route().destination(), key -> new ArrayList<>())
                    .add(route);
        }
        for (NodeRoute route : planned) {
            List<ListedRoute> present = old.remove(route.destination());
            route(route, present == null ? List.of() : present);
        }
        old.values().forEach(routes -> routes.forEach(this::delete));
    }

    private void route(NodeRoute planned, List<ListedRoute> present) {
        boolean overlay = planned.tunnel().isPresent();
        int link = overlay ? standing.overlayIndex().orElseThrow() : planned.linkIndex();
        Route route = new Route(planned.destination(), Optional.of(planned.gateway()), link);
        RouteOptions options = RouteOptions.of(PodRoutes.PROTOCOL, overlay);
        Optional<ListedRoute> right = present.stream()
                .filter(each -> each.route().equals(route) && each.options().onLink() == overlay)
                .findFirst();
        List<ListedRoute> wrong = present.stream()
                .filter(each -> !right.equals(Optional.of(each)))
                .toList();
        if (right.isPresent()) {
            wrong.forEach(this::delete);
        } else if (wrong.size() == 1 && hides(wrong.get(0).route(), route, overlay)) {
            steps.add(new RouteStep.MoveRoute(deletion(wrong.get(0)), new RouteStep.AddRoute(route, options)));
        } else if (wrong.size() == 1) {
            steps.add(new RouteStep.ReplaceRoute(route, options));
        } else {
            // Several to one destination are not our work: which of them a replacement would hit cannot be told.
            wrong.forEach(this::delete);
            steps.add(new RouteStep.AddRoute(route, options));
        }
    }

    /**
     * Whether the kernel refuses the new route because of the old one. The gateway of an overlay route is in the
     * route's own destination. For IPv6 the kernel then allows no route to the gateway on another link.
     */
    private static boolean hides(Route old, Route now, boolean overlay) {
        return overlay && now.destination().family() == IpFamily.IPV6 && old.linkIndex() != now.linkIndex();
    }

    private void delete(ListedRoute route) {
        steps.add(deletion(route));
    }

    private static RouteStep.DeleteRoute deletion(ListedRoute route) {
        RouteOptions options = RouteOptions.of(PodRoutes.PROTOCOL, false)
                .withPriority(route.options().priority());
        return new RouteStep.DeleteRoute(route.route(), options);
    }

    /** An entry that was set for the same hardware address has taken the place of the old one. */
    private void forgetForwardings(Set<Forwarding> wanted) {
        Set<Object> kept = new HashSet<>();
        wanted.forEach(each -> kept.add(each.mac()));
        standing.forwardings().stream()
                .filter(each -> !kept.contains(each.mac()))
                .forEach(each -> steps.add(new RouteStep.DeleteForwarding(each)));
    }

    private void forgetNeighbours(Set<Neighbour> wanted) {
        Set<Object> kept = new HashSet<>();
        wanted.forEach(each -> kept.add(each.address()));
        standing.neighbours().stream()
                .filter(each -> !kept.contains(each.address()))
                .forEach(each -> steps.add(new RouteStep.DeleteNeighbour(each)));
    }
}
