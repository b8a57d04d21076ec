package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Nodes as real network namespaces, each with one pod: n1, n2 and n4 on one link, n3 behind a router that knows no
 * pods and drops packets whose source it has no route to. In every pod and on the router an {@link EchoServer} runs.
 */
final class RoutedNodes implements AutoCloseable {

    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final Map<String, NetworkNamespace> namespaces = new LinkedHashMap<>();
    private final List<EchoServer> servers = new ArrayList<>();
    private final Map<String, PodRoutes> agents = new TreeMap<>();

    /** The Nodes, as the API server would tell them. */
    final Map<String, NodeInfo> nodes = new TreeMap<>();

    RoutedNodes() throws LinuxNetException {
        build();
        awaitAddresses();
        for (String each : List.of("router", "p1", "p2", "p3", "p4")) {
            servers.add(EchoServer.start(host(each)));
        }
    }

    /** A node asks for neighbours of IPv6 from an address of link scope, which it may not use for its first second. */
    private void awaitAddresses() {
        for (NetworkNamespace namespace : namespaces.values()) {
            Eventually.isTrue(
                    () -> "no tentative address: " + namespace.addresses(),
                    () -> namespace.addresses().stream().noneMatch(InterfaceAddress::tentative));
        }
    }

    private void build() throws LinuxNetException {
        NetworkNamespace router = create("router");
        for (String family : List.of("ipv4", "ipv6")) {
            router.setSysctl("net/" + family + "/conf/all/forwarding", "1");
        }
        for (int network : List.of(30, 31)) {
            Link bridge =
                    router.createBridge(new BridgeSpec("sw" + network, Optional.empty(), Optional.empty(), false));
            router.setUp(bridge.index(), true);
            router.addAddress(bridge.index(), Cidr.parse("172." + network + ".0.254/24"));
            router.addAddress(bridge.index(), Cidr.parse("fd" + network + "::fe/64"));
            router.setSysctl("net/ipv4/conf/sw" + network + "/rp_filter", "1");
        }
        node("n1", 30, 1);
        node("n2", 30, 2);
        node("n3", 31, 3);
        node("n4", 30, 4);
    }

    NetworkNamespace host(String name) {
        return Optional.ofNullable(namespaces.get(name)).orElseThrow();
    }

    /** The work of a node's agent, from now on. */
    PodRoutes start(String node, Overlay overlay, List<Cidr> nonMasqueradeCidrs) {
        stop(node);
        PodRoutes routes =
                PodRoutes.start(host(node), new RouteSettings(node, overlay, "cni0", true, nonMasqueradeCidrs));
        agents.put(node, routes);
        routes.update(nodes);
        return routes;
    }

    PodRoutes agent(String node) {
        return Optional.ofNullable(agents.get(node)).orElseThrow();
    }

    void stop(String node) {
        PodRoutes running = agents.remove(node);
        if (running != null) {
            running.close();
        }
    }

    /** Tells every agent of the Nodes. */
    void tellAll() {
        agents.values().forEach(agent -> agent.update(nodes));
    }

    private void node(String name, int network, int number) throws LinuxNetException {
        NetworkNamespace node = create(name);
        NetworkNamespace router = host("router");
        Link uplink = node.createVeth(new VethSpec("eth0", Optional.empty(), "to-" + name, router, Optional.empty()));
        router.setMaster(
                uplink.peerIndex(), router.link("sw" + network).orElseThrow().index());
        router.setUp(uplink.peerIndex(), true);
        node.setUp(uplink.index(), true);
        node.addAddress(uplink.index(), Cidr.parse("172." + network + ".0.1" + number + "/24"));
        node.addAddress(uplink.index(), Cidr.parse("fd" + network + "::1" + number + "/64"));
        node.addRoute(Route.defaultVia(IpAddress.parse("172." + network + ".0.254"), 0));
        node.addRoute(Route.defaultVia(IpAddress.parse("fd" + network + "::fe"), 0));
        for (String family : List.of("ipv4", "ipv6")) {
            node.setSysctl("net/" + family + "/conf/all/forwarding", "1");
        }
        pod(node, "p" + number, number);
        nodes.put(
                name,
                RouteFixture.info(
                        name,
                        "172." + network + ".0.1" + number + ",fd" + network + "::1" + number,
                        "10.244." + number + ".0/24,fd44:" + number + "::/64"));
    }

    private void pod(NetworkNamespace node, String name, int number) throws LinuxNetException {
        NetworkNamespace pod = create(name);
        Link bridge = node.createBridge(new BridgeSpec("cni0", Optional.empty(), Optional.empty(), false));
        Link eth0 = pod.createVeth(new VethSpec("eth0", Optional.empty(), "pod", node, Optional.empty()));
        node.setMaster(eth0.peerIndex(), bridge.index());
        node.setUp(bridge.index(), true);
        node.setUp(eth0.peerIndex(), true);
        pod.setUp(eth0.index(), true);
        node.addAddress(bridge.index(), Cidr.parse("10.244." + number + ".1/24"));
        node.addAddress(bridge.index(), Cidr.parse("fd44:" + number + "::1/64"));
        pod.addAddress(eth0.index(), Cidr.parse("10.244." + number + ".2/24"));
        pod.addAddress(eth0.index(), Cidr.parse("fd44:" + number + "::2/64"));
        pod.addRoute(Route.defaultVia(IpAddress.parse("10.244." + number + ".1"), 0));
        pod.addRoute(Route.defaultVia(IpAddress.parse("fd44:" + number + "::1"), 0));
    }

    private NetworkNamespace create(String name) throws LinuxNetException {
        NetworkNamespace namespace = kernel.create("np-rt-" + name);
        namespaces.put(name, namespace);
        namespace.setUp(namespace.link("lo").orElseThrow().index(), true);
        return namespace;
    }

    @Override
    public void close() throws IOException {
        for (EchoServer server : servers) {
            server.close();
        }
        agents.values().forEach(PodRoutes::close);
        for (Map.Entry<String, NetworkNamespace> each : namespaces.entrySet()) {
            each.getValue().close();
            kernel.delete("np-rt-" + each.getKey());
        }
    }
}
