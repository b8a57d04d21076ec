package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Cidr;
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
    /** Copies the lists. */
    public Topology {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        services = List.copyOf(services);
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
