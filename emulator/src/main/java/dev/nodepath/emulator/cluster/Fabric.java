package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.Topology;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.BridgeSpec;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.Route;
import dev.nodepath.linux.VethSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The network between the nodes: a switch, and on it each node and one client outside the cluster, which is also the
 * nodes' way out. Every node has a route to the pods of every other node through that node's address.
 */
final class Fabric implements AutoCloseable {
    private static final String UPLINK = "eth0";
    private static final String SWITCH_BRIDGE = "sw0";

    private final LinuxNet net;
    private final Map<String, NetworkNamespace> hosts = new LinkedHashMap<>();
    private final IpAddress clientAddress;

    private Fabric(LinuxNet net, IpAddress clientAddress) {
        this.net = net;
        this.clientAddress = clientAddress;
    }

    /** Makes the namespaces, links, addresses and routes. */
    static Fabric build(LinuxNet net, List<NodeInfo> nodes) throws LinuxNetException {
        Fabric fabric = new Fabric(net, Topology.clientAddress(nodes));
        try {
            fabric.connect(nodes);
            fabric.route(nodes);
            return fabric;
        } catch (LinuxNetException e) {
            fabric.close();
            throw e;
        }
    }

    /** The namespace of a node, or of the client by {@link Topology#CLIENT}. */
    NetworkNamespace host(String name) {
        NetworkNamespace host = hosts.get(name);
        if (host == null) {
            throw new IllegalArgumentException("no host " + name + " (expected: one of " + hosts.keySet() + ")");
        }
        return host;
    }

    IpAddress clientAddress() {
        return clientAddress;
    }

    /** The one address of a node. */
    static IpAddress address(NodeInfo node) {
        return node.addresses().get(0);
    }

    @Override
    public void close() {
        hosts.forEach((name, namespace) -> {
            namespace.close();
            try {
                net.delete(name);
            } catch (LinuxNetException e) {
                // The enclosure takes down what cannot be removed by name.
                return;
            }
        });
        hosts.clear();
    }

    private void connect(List<NodeInfo> nodes) throws LinuxNetException {
        NetworkNamespace fabricSwitch = create(Topology.SWITCH);
        Link bridge =
                fabricSwitch.createBridge(new BridgeSpec(SWITCH_BRIDGE, Optional.empty(), Optional.empty(), false));
        fabricSwitch.setUp(bridge.index(), true);
        for (NodeInfo node : nodes) {
            plug(fabricSwitch, bridge, node.name(), address(node));
        }
        plug(fabricSwitch, bridge, Topology.CLIENT, clientAddress);
    }

    private void plug(NetworkNamespace fabricSwitch, Link bridge, String name, IpAddress address)
            throws LinuxNetException {
        NetworkNamespace host = create(name);
        Link uplink = host.createVeth(
                new VethSpec(UPLINK, Optional.empty(), "port" + hosts.size(), fabricSwitch, Optional.empty()));
        fabricSwitch.setMaster(uplink.peerIndex(), bridge.index());
        fabricSwitch.setUp(uplink.peerIndex(), true);
        host.setUp(uplink.index(), true);
        host.addAddress(uplink.index(), new Cidr(address, Topology.NODE_PREFIX_LENGTH));
    }

    private void route(List<NodeInfo> nodes) throws LinuxNetException {
        for (NodeInfo node : nodes) {
            NetworkNamespace host = host(node.name());
            host.setSysctl("net/ipv4/ip_forward", "1");
            host.addRoute(Route.defaultVia(clientAddress, 0));
            addPodRoutes(host, nodes, node.name());
        }
        addPodRoutes(host(Topology.CLIENT), nodes, Topology.CLIENT);
    }

    private static void addPodRoutes(NetworkNamespace host, List<NodeInfo> nodes, String self)
            throws LinuxNetException {
        for (NodeInfo node : nodes) {
            if (!node.name().equals(self)) {
                host.addRoute(new Route(node.podCidrs().get(0), Optional.of(address(node)), 0));
            }
        }
    }

    private NetworkNamespace create(String name) throws LinuxNetException {
        NetworkNamespace namespace = net.create(name);
        hosts.put(name, namespace);
        prepareHost(namespace);
        return namespace;
    }

    /**
     * What every namespace that has sockets gets: its loopback link up, and TCP timestamps without a random offset for each
     * peer. A backend keeps closed connections in TIME_WAIT by address and port; the same client port may come again with
     * another offset, because the connection went to a Service before and to the pod now, and would be taken for an old
     * duplicate: a second's wait that no real cluster sees, as its clients are not measured at ten thousand connections a second.
     */
    static void prepareHost(NetworkNamespace namespace) throws LinuxNetException {
        Link loopback = namespace.link("lo").orElseThrow();
        namespace.setUp(loopback.index(), true);
        namespace.setSysctl("net/ipv4/tcp_timestamps", "2");
    }
}
