package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A node n1 of the fake kernel with 172.30.0.11/24 and fd30::11/64 on eth0, a default gateway, and other Nodes by
 * name.
 */
final class RouteFixture {
    final FakeLinuxNet kernel = new FakeLinuxNet();
    final NetworkNamespace host;
    final Link uplink;
    final Map<String, NodeInfo> nodes = new TreeMap<>();

    RouteFixture() throws LinuxNetException {
        host = kernel.current();
        NetworkNamespace fabric = kernel.create("switch");
        uplink = host.createVeth(new VethSpec("eth0", Optional.empty(), "port", fabric, Optional.empty()));
        fabric.setUp(uplink.peerIndex(), true);
        host.setUp(uplink.index(), true);
        host.addAddress(uplink.index(), Cidr.parse("172.30.0.11/24"));
        host.addAddress(uplink.index(), Cidr.parse("fd30::11/64"));
        host.addRoute(Route.defaultVia(IpAddress.parse("172.30.0.254"), 0));
        host.addRoute(Route.defaultVia(IpAddress.parse("fd30::254"), 0));
        node("n1", "172.30.0.11,fd30::11", "10.244.1.0/24,fd44:1::/64");
    }

    /** Adds a Node, or changes the Node of that name. */
    RouteFixture node(String name, String addresses, String podCidrs) {
        nodes.put(name, info(name, addresses, podCidrs));
        return this;
    }

    static NodeInfo info(String name, String addresses, String podCidrs) {
        return new NodeInfo(
                name,
                "",
                List.of(addresses.split(",")).stream()
                        .filter(text -> !text.isEmpty())
                        .map(IpAddress::parse)
                        .toList(),
                List.of(podCidrs.split(",")).stream()
                        .filter(text -> !text.isEmpty())
                        .map(Cidr::parse)
                        .toList());
    }

    static RouteSettings settings(Overlay overlay) {
        return new RouteSettings("n1", overlay, "cni0", true, List.of());
    }

    RouteSync.Result sync(Overlay overlay) throws LinuxNetException {
        return new RouteSync(host, settings(overlay)).sync(nodes);
    }

    /** Our routes as text, sorted. */
    List<String> routes() throws LinuxNetException {
        return host.listedRoutes().stream()
                .filter(each -> each.options().protocol().equals(Optional.of(PodRoutes.PROTOCOL)))
                .map(this::text)
                .sorted()
                .toList();
    }

    List<String> forwardings() throws LinuxNetException {
        int index = overlay().index();
        return host.neighbourTables().forwardings(index).stream()
                .map(each -> each.mac() + " " + each.remote())
                .sorted()
                .toList();
    }

    List<String> neighbours() throws LinuxNetException {
        int index = overlay().index();
        return host.neighbourTables().neighbours(index).stream()
                .map(each -> each.address() + " " + each.mac())
                .sorted()
                .toList();
    }

    Link overlay() throws LinuxNetException {
        return host.link(OverlayLink.NAME).orElseThrow();
    }

    Route via(String destination, String gateway, int link) {
        return new Route(Cidr.parse(destination), Optional.of(IpAddress.parse(gateway)), link);
    }

    private String text(ListedRoute each) {
        Route route = each.route();
        try {
            return route.destination()
                    + route.gateway().map(gateway -> " via " + gateway).orElse("") + " dev "
                    + host.link(route.linkIndex()).orElseThrow().name()
                    + (each.options().onLink() ? " onlink" : "");
        } catch (LinuxNetException e) {
            throw new IllegalStateException(e);
        }
    }
}
