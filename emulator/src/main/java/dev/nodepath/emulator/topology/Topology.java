package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A cluster to be emulated. Every pod is on one of the nodes, no name is there twice, no two podCIDRs overlap.
 *
 * @param file the manifests it was read from
 * @param nodes each with one IPv4 address and one IPv4 podCIDR
 * @param pods in the order of the file
 * @param services in the order of the file
 */
public record Topology(Path file, List<NodeInfo> nodes, List<PodSpec> pods, List<ServiceSpec> services) {
    /** The name of the switch between the nodes; no node or pod may have it. */
    public static final String SWITCH = "switch";

    /** The name of the client outside the cluster; no node or pod may have it. */
    public static final String CLIENT = "client";

    /** The nodes stand on one network of this prefix length. */
    public static final int NODE_PREFIX_LENGTH = 24;

    /** The client has the last host address of that network: 254 of 256. */
    private static final long CLIENT_HOST = 254;

    /** Copies the lists. */
    public Topology {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        services = List.copyOf(services);
    }

    /** The network that the nodes stand on, by the first node. */
    public static Cidr nodeNetwork(List<NodeInfo> nodes) {
        return new Cidr(nodes.get(0).addresses().get(0), NODE_PREFIX_LENGTH).network();
    }

    /** The address of the client outside. */
    public static IpAddress clientAddress(List<NodeInfo> nodes) {
        return nodeNetwork(nodes).address().plus(CLIENT_HOST);
    }

    /** The smallest network that covers every podCIDR: what {@code --cluster-cidr} is to a proxy. */
    public Cidr clusterCidr() {
        Cidr cover = nodes.get(0).podCidrs().get(0);
        for (NodeInfo node : nodes) {
            while (!cover.contains(node.podCidrs().get(0).address())
                    || cover.prefixLength() > node.podCidrs().get(0).prefixLength()) {
                cover = new Cidr(cover.address(), cover.prefixLength() - 1).network();
            }
        }
        return cover;
    }

    /** The service of this name, in any Kubernetes namespace. */
    public Optional<ServiceSpec> service(String name) {
        return services.stream()
                .filter(service -> service.name().name().equals(name))
                .findFirst();
    }
}
