package dev.nodepath.emulator.page;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.page.Picture;
import dev.nodepath.page.PicturedNode;
import dev.nodepath.page.PicturedPod;
import dev.nodepath.page.PicturedService;
import dev.nodepath.page.PicturedService.EndpointPart;
import dev.nodepath.page.PicturedService.PortPart;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The names of the addresses in a cluster at one moment. */
final class FlowNames {
    /** The state of an endpoint that the Service no longer has. */
    static final String GONE = "gone";

    /** Pods with an address of their own, by address. */
    private final Map<String, PicturedPod> pods = new HashMap<>();

    /** Nodes by their address on the network between the nodes. */
    private final Map<String, String> nodes = new HashMap<>();

    /** Nodes by the network of their pods. */
    private final Map<Cidr, String> podNetworks = new HashMap<>();

    /** Services by address, port and protocol of a cluster IP. */
    private final Map<String, PicturedService> clusterIps = new HashMap<>();

    /** Services by port and protocol of a node port. */
    private final Map<String, PicturedService> nodePorts = new HashMap<>();

    private final Picture picture;

    FlowNames(Picture picture) {
        this.picture = picture;
        for (PicturedPod pod : picture.pods()) {
            if (!pod.host()) {
                pod.addresses().forEach(address -> pods.put(address, pod));
            }
        }
        for (PicturedNode node : picture.nodes()) {
            node.addresses().forEach(address -> nodes.put(address, node.id()));
            node.podCidrs().forEach(cidr -> podNetworks.put(Cidr.parse(cidr), node.id()));
        }
        for (PicturedService service : picture.services()) {
            for (PortPart port : service.ports()) {
                String protocol = port.protocol().toLowerCase(Locale.ROOT);
                service.addresses().forEach(address -> clusterIps.put(key(address, port.port(), protocol), service));
                if (port.nodePort() != 0) {
                    nodePorts.put(key("", port.nodePort(), protocol), service);
                }
            }
        }
    }

    private static String key(String address, int port, String protocol) {
        return address + ' ' + port + '/' + protocol;
    }

    /** The mode of a node's proxy; empty if there is no such node. */
    String mode(String node) {
        return picture.nodes().stream()
                .filter(each -> each.id().equals(node))
                .map(PicturedNode::mode)
                .findFirst()
                .orElse("");
    }

    /** The pod, node or client with this address; empty if the cluster does not know it. */
    String owner(IpAddress address) {
        String text = address.toString();
        if (text.equals(picture.client().address())) {
            return picture.client().name();
        }
        PicturedPod pod = pods.get(text);
        return pod == null ? node(address) : pod.id();
    }

    /** The node with this address, or the node of the pod with this address; empty if there is none. */
    String nodeOf(IpAddress address) {
        PicturedPod pod = pods.get(address.toString());
        return pod == null ? node(address) : pod.node();
    }

    /** Whether the address is a pod's, and not a node's. */
    boolean isPod(IpAddress address) {
        return pods.containsKey(address.toString());
    }

    /** Whether a node has this address. */
    boolean isNode(IpAddress address) {
        return !isPod(address) && !node(address).isEmpty();
    }

    /** The node with this address, on the network between the nodes or on its own bridge. */
    private String node(IpAddress address) {
        String node = nodes.get(address.toString());
        return node != null
                ? node
                : podNetworks.entrySet().stream()
                        .filter(network -> network.getKey().contains(address))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse("");
    }

    /** The Service at an address and port: its own, or a node port. */
    Optional<PicturedService> service(IpAddress address, int port, String protocol) {
        PicturedService byPort = isNode(address) ? nodePorts.get(key("", port, protocol)) : null;
        return Optional.ofNullable(clusterIps.getOrDefault(key(address.toString(), port, protocol), byPort));
    }

    /**
     * Whether a Service sends new connections to an address: the state of its endpoint, {@link #GONE} if it has none.
     */
    static String endpointState(PicturedService service, IpAddress address) {
        return service.endpoints().stream()
                .filter(endpoint -> endpoint.address().equals(address.toString()))
                .map(EndpointPart::state)
                .findFirst()
                .orElse(GONE);
    }
}
