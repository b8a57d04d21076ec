package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.kubelet.HostNamespace;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The network between the nodes: a switch for each network, and on the first one a client outside the cluster, which is
 * also the nodes' default gateway. A router joins several networks; it has no routes to pods. The nodes' agents make
 * the routes to pods.
 */
final class ClusterNetwork implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNetwork.class);
    private static final String LINK = "eth";
    private static final String UPLINK = LINK + 0;
    private static final String SWITCH_BRIDGE = "sw";

    private final LinuxNet net;
    private final Topology topology;
    private final Map<String, NetworkNamespace> hosts = Collections.synchronizedMap(new LinkedHashMap<>());
    /** The switch's end of each cable, by the host and its link. */
    private final Map<String, String> ports = new HashMap<>();
    /** The hardware addresses of the nodes that were cut off: a network card keeps its address. */
    private final Map<String, MacAddress> cards = new HashMap<>();

    private ClusterNetwork(LinuxNet net, Topology topology) {
        this.net = net;
        this.topology = topology;
    }

    /** Makes the namespaces, links, addresses and routes. */
    static ClusterNetwork build(LinuxNet net, Topology topology) throws LinuxNetException {
        ClusterNetwork network = new ClusterNetwork(net, topology);
        try {
            network.connect();
            network.route();
            return network;
        } catch (LinuxNetException e) {
            network.close();
            throw e;
        }
    }

    /** The namespace of a node, or of the switch, router or client by their names in {@link Topology}. */
    NetworkNamespace host(String name) {
        NetworkNamespace host = hosts.get(name);
        if (host == null) {
            throw new IllegalArgumentException("no host " + name + " (expected: one of " + hosts.keySet() + ")");
        }
        return host;
    }

    /** The names that {@link #host} knows. */
    Set<String> names() {
        return Collections.unmodifiableSet(hosts.keySet());
    }

    /**
     * Takes a node's uplink away, and then its namespace with all links, routes, rules and connections. An empty
     * namespace takes its name.
     *
     * @param ending ends the node's processes, once they reach no other host
     */
    void cut(String node, Ending ending) throws LinuxNetException, InterruptedException {
        NetworkNamespace lost = host(node);
        Optional<Link> uplink = lost.link(UPLINK);
        if (uplink.isPresent()) {
            uplink.get().mac().ifPresent(mac -> cards.put(node, mac));
            lost.deleteLink(uplink.get().index());
        }
        ending.end();
        // A process that still has the namespace open keeps it alive, but without its links.
        lost.deleteLinks(lost.links().stream()
                .filter(link -> !link.name().equals("lo"))
                .map(Link::index)
                .toList());
        lost.close();
        net.delete(node);
        create(node);
    }

    /** Ends the processes of a node. */
    interface Ending {
        void end() throws InterruptedException;
    }

    /** Gives a node that was cut off its uplink, addresses and routes, as at the start. */
    void connectAgain(NodeInfo node) throws LinuxNetException {
        plug(node.name(), UPLINK, topology.network(node), node.addresses());
        route(node);
    }

    IpAddress clientAddress() {
        return topology.clientAddresses().get(0);
    }

    @Override
    public void close() {
        hosts.forEach((name, namespace) -> {
            namespace.close();
            try {
                net.delete(name);
            } catch (LinuxNetException e) {
                // The enclosure's end removes the other namespaces.
                return;
            }
        });
        hosts.clear();
    }

    /** Routes an address from the client to a node of the first network; without a node it removes the route. */
    void balance(String address, Optional<String> node) {
        IpAddress balanced = IpAddress.parse(address);
        Cidr only = new Cidr(balanced, balanced.family().bits());
        try {
            NetworkNamespace client = host(Topology.CLIENT);
            if (node.isEmpty()) {
                client.deleteRoute(new Route(only, Optional.empty(), 0));
                return;
            }
            for (IpAddress gateway : addresses(node.get())) {
                if (gateway.family() == balanced.family()) {
                    client.replaceRoute(new Route(only, Optional.of(gateway), 0));
                }
            }
        } catch (LinuxNetException e) {
            LOG.atWarn()
                    .addKeyValue("address", address)
                    .addKeyValue("error", e.getMessage())
                    .log("balancer.not_routed");
        }
    }

    private List<IpAddress> addresses(String node) {
        return topology.nodes().stream()
                .filter(each -> each.name().equals(node))
                .findFirst()
                .map(NodeInfo::addresses)
                .orElse(List.of());
    }

    /** The nodes that the client reaches without the router. */
    List<String> nearNodes() {
        return topology.nodes().stream()
                .filter(node ->
                        topology.network(node).equals(topology.networks().get(0)))
                .map(NodeInfo::name)
                .toList();
    }

    private void connect() throws LinuxNetException {
        NetworkNamespace bridgeHost = create(Topology.SWITCH);
        for (NodeNetwork network : topology.networks()) {
            Link bridge =
                    bridgeHost.createBridge(new BridgeSpec(bridge(network), Optional.empty(), Optional.empty(), false));
            bridgeHost.setUp(bridge.index(), true);
        }
        for (NodeInfo node : topology.nodes()) {
            create(node.name());
            plug(node.name(), UPLINK, topology.network(node), node.addresses());
        }
        create(Topology.CLIENT);
        plug(Topology.CLIENT, UPLINK, topology.networks().get(0), topology.clientAddresses());
        if (isRouted()) {
            create(Topology.ROUTER);
            plugRouter();
        }
    }

    private boolean isRouted() {
        return topology.networks().size() > 1;
    }

    /**
     * The router is a host of its own. The switch's bridges could route, but a bridge segments tunnelled packets in
     * software: bulk over VXLAN then had a fifth of the throughput.
     */
    private void plugRouter() throws LinuxNetException {
        int link = 0;
        for (NodeNetwork network : topology.networks()) {
            plug(Topology.ROUTER, LINK + link++, network, network.routerAddresses());
        }
    }

    private String bridge(NodeNetwork network) {
        return SWITCH_BRIDGE + topology.networks().indexOf(network);
    }

    private void plug(String name, String link, NodeNetwork network, List<IpAddress> addresses)
            throws LinuxNetException {
        NetworkNamespace host = host(name);
        NetworkNamespace bridgeHost = host(Topology.SWITCH);
        String port = ports.computeIfAbsent(name + " " + link, each -> "port" + (ports.size() + 1));
        Link uplink = host.createVeth(
                new VethSpec(link, Optional.ofNullable(cards.get(name)), port, bridgeHost, Optional.empty()));
        Link bridge = bridgeHost.link(bridge(network)).orElseThrow();
        bridgeHost.setMaster(uplink.peerIndex(), bridge.index());
        bridgeHost.setUp(uplink.peerIndex(), true);
        host.setUp(uplink.index(), true);
        addAddresses(host, uplink, addresses);
    }

    private static void addAddresses(NetworkNamespace host, Link link, List<IpAddress> addresses)
            throws LinuxNetException {
        for (IpAddress address : addresses) {
            host.addAddress(link.index(), NodeNetwork.withPrefix(address));
        }
    }

    private void route() throws LinuxNetException {
        for (NodeInfo node : topology.nodes()) {
            route(node);
        }
        NetworkNamespace client = host(Topology.CLIENT);
        addRoutesToOtherNetworks(client);
        addPodRoutes(client);
        if (isRouted()) {
            NetworkNamespace router = host(Topology.ROUTER);
            forward(router);
            addDefaultRoutes(router, topology.networks().get(0).clientAddresses());
        }
    }

    private void route(NodeInfo node) throws LinuxNetException {
        NodeNetwork first = topology.networks().get(0);
        NodeNetwork own = topology.network(node);
        NetworkNamespace host = host(node.name());
        forward(host);
        addDefaultRoutes(host, own.equals(first) ? first.clientAddresses() : own.routerAddresses());
        if (own.equals(first)) {
            addRoutesToOtherNetworks(host);
        }
    }

    private static void forward(NetworkNamespace host) throws LinuxNetException {
        host.setSysctl("net/ipv4/ip_forward", "1");
        host.setSysctl("net/ipv6/conf/all/forwarding", "1");
    }

    private static void addDefaultRoutes(NetworkNamespace host, List<IpAddress> gateways) throws LinuxNetException {
        for (IpAddress gateway : gateways) {
            host.addRoute(Route.defaultVia(gateway, 0));
        }
    }

    /** Adds routes through the router, for a host on the first network with another default route. */
    private void addRoutesToOtherNetworks(NetworkNamespace host) throws LinuxNetException {
        List<IpAddress> routers = topology.networks().get(0).routerAddresses();
        for (NodeNetwork network :
                topology.networks().subList(1, topology.networks().size())) {
            for (int i = 0; i < network.cidrs().size(); i++) {
                host.addRoute(new Route(network.cidrs().get(i), Optional.of(routers.get(i)), 0));
            }
        }
    }

    /** The client also has direct routes to pods of nodes on its link. */
    private void addPodRoutes(NetworkNamespace client) throws LinuxNetException {
        for (NodeInfo node : topology.nodes()) {
            if (topology.network(node).equals(topology.networks().get(0))) {
                for (int i = 0; i < node.podCidrs().size(); i++) {
                    IpAddress gateway = node.addresses().get(i);
                    client.addRoute(new Route(node.podCidrs().get(i), Optional.of(gateway), 0));
                }
            }
        }
    }

    private NetworkNamespace create(String name) throws LinuxNetException {
        NetworkNamespace namespace = net.create(name);
        hosts.put(name, namespace);
        HostNamespace.prepare(namespace);
        return namespace;
    }
}
