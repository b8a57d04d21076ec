package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Syncs a node's routes, overlay, its guard and masquerading with their plan, from any state. After a failure it
 * continues with the rest.
 */
final class RouteSync {
    private final NetworkNamespace namespace;
    private final RouteSettings settings;
    private final OverlayLink overlay;
    private final OverlayGuard guard;
    private final PodMasquerade masquerade;
    private final NodeRouteLookup ways;

    RouteSync(NetworkNamespace namespace, RouteSettings settings) {
        this.namespace = namespace;
        this.settings = settings;
        this.overlay = new OverlayLink(namespace);
        this.guard = new OverlayGuard(namespace, settings.podBridge());
        this.masquerade = new PodMasquerade(namespace);
        this.ways = new NodeRouteLookup(namespace, System::nanoTime);
    }

    /**
     * The result of a sync.
     *
     * @param standing the number of podCIDRs of other nodes that now have a route
     * @param changes the number of steps that were taken
     * @param overlayIndex the overlay link's; empty if there is none
     * @param errors the kernel's errors
     */
    record Result(RoutePlan plan, int standing, int changes, Optional<Integer> overlayIndex, List<String> errors) {
        Result {
            errors = List.copyOf(errors);
        }
    }

    /**
     * Syncs once.
     *
     * @param nodes all Nodes, with this node's
     * @throws LinuxNetException if not even the node's state can be read
     */
    Result sync(Map<String, NodeInfo> nodes) throws LinuxNetException {
        RoutePlan plan = RoutePlanner.plan(settings, nodes, HostNetwork.read(namespace, ways, nodes.values()));
        List<String> errors = new ArrayList<>();
        if (plan.overlay().isPresent()) {
            attempt(errors, guard::ensure); // before the link unpacks anything
        }
        Optional<Integer> overlayIndex = ensureOverlay(plan, errors);
        int changes = 0;
        for (RouteStep step : RouteSteps.from(InstalledRoutes.read(namespace, overlayIndex), plan.routes())) {
            changes += attempt(errors, () -> step.apply(namespace)) ? 1 : 0;
        }
        if (plan.overlay().isEmpty()) {
            attempt(errors, () -> {
                overlay.remove();
                guard.remove(); // while the link stands, it unpacks
            });
        }
        attempt(errors, () -> masquerade(nodes));
        InstalledRoutes now = InstalledRoutes.read(namespace, overlayIndex);
        Set<RouteStep> undone = new HashSet<>(RouteSteps.from(now, plan.routes()));
        return new Result(plan, standing(plan, now, undone), changes, overlayIndex, errors);
    }

    private Optional<Integer> ensureOverlay(RoutePlan plan, List<String> errors) {
        if (plan.overlay().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(overlay.ensure(plan.overlay().get(), plan.overlayAddresses()));
        } catch (LinuxNetException e) {
            errors.add(String.valueOf(e.getMessage()));
            return overlayAsItIs();
        }
    }

    /** An overlay link that cannot be updated is still used. */
    private Optional<Integer> overlayAsItIs() {
        try {
            return namespace.link(OverlayLink.NAME).filter(OverlayLink::isOurs).map(Link::index);
        } catch (LinuxNetException e) {
            return Optional.empty();
        }
    }

    /** Whether another program has removed or changed rules; thread-safe. */
    boolean areRulesLost() throws LinuxNetException {
        return masquerade.isLost() || guard.isLost();
    }

    private void masquerade(Map<String, NodeInfo> nodes) throws LinuxNetException {
        if (!settings.masquerade()) {
            masquerade.remove();
            return;
        }
        NodeInfo own = nodes.get(settings.node());
        if (own == null || own.podCidrs().isEmpty()) {
            return;
        }
        List<Cidr> inside = new ArrayList<>(settings.nonMasqueradeCidrs());
        nodes.values().forEach(node -> inside.addAll(node.podCidrs()));
        masquerade.ensure(own.podCidrs().stream().map(Cidr::network).toList(), inside);
    }

    /** The number of present routes; a route through the overlay needs all its entries. */
    private static int standing(RoutePlan plan, InstalledRoutes now, Set<RouteStep> undone) {
        Set<Cidr> present = new HashSet<>();
        now.routes().forEach(each -> present.add(each.route().destination()));
        int standing = plan.given().size();
        for (NodeRoute route : plan.routes()) {
            boolean isWhole = undone.stream().noneMatch(step -> concerns(step, route));
            boolean isPossible = route.tunnel().isEmpty() || now.overlayIndex().isPresent();
            standing += isPossible && isWhole && present.contains(route.destination()) ? 1 : 0;
        }
        return standing;
    }

    private static boolean concerns(RouteStep step, NodeRoute route) {
        if (step instanceof RouteStep.AddRoute add) {
            return add.route().destination().equals(route.destination());
        } else if (step instanceof RouteStep.ReplaceRoute replace) {
            return replace.route().destination().equals(route.destination());
        } else if (step instanceof RouteStep.MoveRoute move) {
            return move.route().destination().equals(route.destination());
        } else if (step instanceof RouteStep.SetNeighbour set) {
            return set.neighbour().address().equals(route.gateway());
        } else if (step instanceof RouteStep.SetForwarding set) {
            return route.tunnel().isPresent()
                    && set.forwarding().mac().equals(route.tunnel().get().mac());
        }
        return false;
    }

    /** An action that the kernel may refuse. */
    interface Attempt {
        /** Runs the action. */
        void run() throws LinuxNetException;
    }

    /** Tries a step. Returns whether it succeeded; if not, adds the kernel's error. */
    static boolean attempt(List<String> errors, Attempt attempt) {
        try {
            attempt.run();
            return true;
        } catch (LinuxNetException e) {
            errors.add(String.valueOf(e.getMessage()));
            return false;
        }
    }
}
