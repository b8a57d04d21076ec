package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A cluster to be emulated. Every pod is on one of the nodes, no name is there twice, no two podCIDRs overlap.
 *
 * @param objects all that the manifests have, in their order, of every kind
 * @param nodes each with one IPv4 address and one IPv4 podCIDR, and in a dual-stack cluster one of IPv6 after it
 * @param pods in the order of the file
 * @param services in the order of the file
 */
public record Topology(
        List<ManifestObject> objects, List<NodeInfo> nodes, List<PodSpec> pods, List<ServiceSpec> services) {
    /** The name of the switch between the nodes; no node or pod may have it. */
    public static final String SWITCH = "switch";

    /** The name of the router between several networks; no node or pod may have it. */
    public static final String ROUTER = "router";

    /** The name of the client outside the cluster; no node or pod may have it. */
    public static final String CLIENT = "client";

    /** Copies the lists. */
    public Topology {
        objects = List.copyOf(objects);
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        services = List.copyOf(services);
    }

    /** The networks that the nodes stand on, each once, in the order of the nodes; a router is between them. */
    public List<NodeNetwork> networks() {
        return networks(nodes);
    }

    /** The network that a node stands on. */
    public NodeNetwork network(NodeInfo node) {
        return NodeNetwork.of(node);
    }

    static List<NodeNetwork> networks(List<NodeInfo> nodes) {
        return nodes.stream().map(NodeNetwork::of).distinct().toList();
    }

    /** The addresses of the client outside, on the first network; IPv4 first. */
    public List<IpAddress> clientAddresses() {
        return networks().get(0).clientAddresses();
    }

    /** The smallest network of each family that covers every podCIDR: what {@code --cluster-cidr} is to a proxy. */
    public List<Cidr> clusterCidrs() {
        return IntStream.range(0, nodes.get(0).podCidrs().size())
                .mapToObj(this::cover)
                .toList();
    }

    private Cidr cover(int index) {
        Cidr cover = nodes.get(0).podCidrs().get(index);
        for (NodeInfo node : nodes) {
            Cidr podCidr = node.podCidrs().get(index);
            while (!cover.contains(podCidr.address()) || cover.prefixLength() > podCidr.prefixLength()) {
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
