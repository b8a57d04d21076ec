package dev.nodepath.emulator.cluster;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A cluster to be emulated. Names of nodes are unique, and podCIDRs do not overlap.
 *
 * @param nodes each with one IPv4 address and one IPv4 podCIDR, and in a dual-stack cluster one of IPv6 after it
 * @param nodeObjects the nodes as they were written
 * @param objects the objects to create once the cluster is up, in the order of the file; no Nodes
 */
public record Topology(List<NodeInfo> nodes, List<ManifestObject> nodeObjects, List<ManifestObject> objects) {
    /** The name of the switch between the nodes; no node may have it. */
    public static final String SWITCH = "switch";

    /** The name of the router between several networks; no node may have it. */
    public static final String ROUTER = "router";

    /** The name of the client outside the cluster; no node may have it. */
    public static final String CLIENT = "client";

    public Topology {
        nodes = List.copyOf(nodes);
        nodeObjects = List.copyOf(nodeObjects);
        objects = List.copyOf(objects);
    }

    /** The same without some of its objects. */
    public Topology without(Collection<ManifestObject> some) {
        return new Topology(
                nodes,
                nodeObjects,
                objects.stream().filter(object -> !some.contains(object)).toList());
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

    /**
     * The smallest network of each family that covers every podCIDR: the value of a proxy's {@code --cluster-cidr}.
     */
    public List<Cidr> clusterCidrs() {
        return clusterCidrs(nodes);
    }

    static List<Cidr> clusterCidrs(List<NodeInfo> nodes) {
        return IntStream.range(0, nodes.get(0).podCidrs().size())
                .mapToObj(index -> cover(nodes, index))
                .toList();
    }

    private static Cidr cover(List<NodeInfo> nodes, int index) {
        Cidr cover = nodes.get(0).podCidrs().get(index);
        for (NodeInfo node : nodes) {
            Cidr podCidr = node.podCidrs().get(index);
            while (!cover.contains(podCidr.address()) || cover.prefixLength() > podCidr.prefixLength()) {
                cover = new Cidr(cover.address(), cover.prefixLength() - 1).network();
            }
        }
        return cover;
    }
}
