package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.Vxlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.route.Route;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Makes one plan of a node's routes from the cluster's Nodes and the node's network. */
final class RoutePlanner {
    private final RouteSettings settings;
    private final NodeInfo own;
    private final Map<String, NodeInfo> others;
    private final HostNetwork host;
    private final ForeignRoutes foreign;
    private final Optional<Link> uplink;

    private final List<NodeRoute> routes = new ArrayList<>();
    private final List<Cidr> given = new ArrayList<>();
    private final List<Cidr> unroutable = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final Set<Integer> links = new HashSet<>();
    private final DisjointCidrs taken = new DisjointCidrs();

    private RoutePlanner(RouteSettings settings, NodeInfo own, Map<String, NodeInfo> others, HostNetwork host) {
        this.settings = settings;
        this.own = own;
        this.others = others;
        this.host = host;
        this.foreign = new ForeignRoutes(host, OverlayLink.NAME, settings.podBridge());
        this.uplink = own.addresses().isEmpty()
                ? Optional.empty()
                : host.linkOf(own.addresses().get(0));
    }

    /**
     * A plan.
     *
     * @param nodes all Nodes, with this node's
     */
    static RoutePlan plan(RouteSettings settings, Map<String, NodeInfo> nodes, HostNetwork host) {
        Map<String, NodeInfo> others = new TreeMap<>(nodes);
        NodeInfo own = others.remove(settings.node());
        if (own == null) {
            throw new IllegalArgumentException(
                    "no Node " + settings.node() + " (expected: this node's Node" + " among the Nodes)");
        }
        return new RoutePlanner(settings, own, others, host).plan();
    }

    private RoutePlan plan() {
        Optional<String> ownProblem = ownProblem();
        own.podCidrs().forEach(taken::add);
        for (NodeInfo node : others.values()) {
            for (Cidr podCidr : node.podCidrs()) {
                route(node, podCidr.network());
            }
        }
        boolean overlay = routes.stream().anyMatch(route -> route.tunnel().isPresent());
        if (overlay || settings.overlay() == Overlay.VXLAN) {
            uplink.ifPresent(link -> links.add(link.index()));
        }
        return new RoutePlan(
                routes,
                given,
                unroutable,
                overlay ? Optional.of(overlaySpec()) : Optional.empty(),
                overlay
                        ? own.podCidrs().stream()
                                .map(RoutePlanner::overlayAddress)
                                .toList()
                        : List.of(),
                podMtu(overlay || settings.overlay() == Overlay.VXLAN),
                links,
                problems,
                ownProblem);
    }

    private Optional<String> ownProblem() {
        if (own.podCidrs().isEmpty()) {
            return Optional.of("Node " + own.name() + " has no podCIDR yet");
        }
        return own.podCidrs().stream()
                .flatMap(podCidr -> foreign.obstacleOfOwn(podCidr).stream())
                .findFirst()
                .map(obstacle -> "Node " + own.name() + ": " + obstacle);
    }

    private void route(NodeInfo node, Cidr podCidr) {
        Optional<Cidr> other = taken.add(podCidr);
        if (other.isPresent()) {
            refuse(node, podCidr, "podCIDR " + podCidr + " overlaps " + other.get() + " of another Node");
            return;
        }
        Optional<NodeRoute> direct = settings.overlay() == Overlay.VXLAN ? Optional.empty() : direct(node, podCidr);
        if (direct.isPresent()) {
            add(node, direct.get());
        } else if (settings.overlay() == Overlay.NONE) {
            refuse(
                    node,
                    podCidr,
                    "addresses " + node.addresses() + " (expected: one of " + podCidr.family()
                            + " on a link of this node, or another --overlay than none)");
        } else {
            tunnel(node, podCidr);
        }
    }

    /** A route through the node's address, if the kernel has that on a link. */
    private Optional<NodeRoute> direct(NodeInfo node, Cidr podCidr) {
        for (IpAddress address : node.addresses()) {
            Route towards = host.towards().get(address);
            boolean onLink = address.family() == podCidr.family()
                    && towards != null
                    && towards.gateway().isEmpty()
                    && !host.linkName(towards.linkIndex()).equals(settings.podBridge())
                    && !host.linkName(towards.linkIndex()).equals(OverlayLink.NAME);
            if (towards != null && onLink) {
                return Optional.of(new NodeRoute(podCidr, address, towards.linkIndex(), Optional.empty()));
            }
        }
        return Optional.empty();
    }

    private void tunnel(NodeInfo node, Cidr podCidr) {
        if (own.addresses().isEmpty() || uplink.isEmpty()) {
            refuse(
                    node,
                    podCidr,
                    "needs the overlay, but the addresses " + own.addresses() + " of Node " + own.name()
                            + " are on no link of this node (expected: the first one is)");
            return;
        }
        if (own.podCidrs().stream().noneMatch(each -> each.family() == podCidr.family())) {
            refuse(
                    node,
                    podCidr,
                    "podCIDR " + podCidr + " (expected: of a family that Node " + own.name() + " has too)");
            return;
        }
        IpFamily family = own.addresses().get(0).family();
        Optional<IpAddress> remote = node.addresses().stream()
                .filter(address -> address.family() == family)
                .findFirst();
        if (remote.isEmpty()) {
            refuse(
                    node,
                    podCidr,
                    "addresses " + node.addresses() + " (expected: one of " + family + " for the overlay)");
            return;
        }
        NodeRoute.Tunnel tunnel = new NodeRoute.Tunnel(OverlayLink.mac(node.name()), remote.get());
        add(node, new NodeRoute(podCidr, podCidr.address(), 0, Optional.of(tunnel)));
    }

    private void add(NodeInfo node, NodeRoute route) {
        if (route.tunnel().isEmpty()) {
            links.add(route.linkIndex());
            if (foreign.has(new Route(route.destination(), Optional.of(route.gateway()), route.linkIndex()))) {
                given.add(route.destination());
                return;
            }
        }
        Optional<String> obstacle = foreign.obstacle(route.destination());
        if (obstacle.isPresent()) {
            refuse(node, route.destination(), obstacle.get());
        } else {
            routes.add(route);
        }
    }

    private void refuse(NodeInfo node, Cidr podCidr, String problem) {
        unroutable.add(podCidr);
        problems.add("Node " + node.name() + ": " + problem);
    }

    private VxlanSpec overlaySpec() {
        IpAddress local = own.addresses().get(0);
        int mtu = uplink.orElseThrow().mtu() - VxlanSpec.overheadBytes(local.family());
        Vxlan tunnel = new Vxlan(OverlayLink.ID, local, OverlayLink.PORT, false);
        return new VxlanSpec(OverlayLink.NAME, OverlayLink.mac(own.name()), mtu, tunnel);
    }

    /** A packet from the node itself has this source, so that the answer comes back through the overlay. */
    private static Cidr overlayAddress(Cidr podCidr) {
        return Cidr.single(podCidr.network().address());
    }

    private OptionalInt podMtu(boolean overlay) {
        OptionalInt smallest = links.stream()
                .flatMap(index -> Optional.ofNullable(host.links().get(index)).stream())
                .mapToInt(Link::mtu)
                .min();
        int mtu = smallest.orElseGet(() -> uplink.map(Link::mtu).orElse(0));
        if (mtu == 0) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(
                overlay ? mtu - VxlanSpec.overheadBytes(own.addresses().get(0).family()) : mtu);
    }
}
