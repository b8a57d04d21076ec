package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Node, with the fields that a proxy or a route needs.
 *
 * @param name {@code metadata.name}
 * @param zone the label {@code topology.kubernetes.io/zone}; empty if unset
 * @param addresses the addresses of type InternalIP, in order; for a family without one, the first ExternalIP follows,
 *     as in kube-proxy
 * @param podCidrs {@code spec.podCIDRs}
 * @param leaving whether it is being deleted ({@code metadata.deletionTimestamp}), or soon will be (taint {@value
 *     #TO_BE_DELETED_TAINT}), so that load balancers should send it no new traffic
 * @param kubeletVersion {@code status.nodeInfo.kubeletVersion}, such as {@code v1.36.2}; empty if unset
 */
public record NodeInfo(
        String name,
        String zone,
        List<IpAddress> addresses,
        List<Cidr> podCidrs,
        boolean leaving,
        String kubeletVersion) {
    /** The cluster autoscaler sets it on a Node before it removes the Node. kube-proxy's health check uses it, too. */
    public static final String TO_BE_DELETED_TAINT = "ToBeDeletedByClusterAutoscaler";

    public NodeInfo {
        addresses = List.copyOf(addresses);
        podCidrs = List.copyOf(podCidrs);
    }

    /** Its first address of a family; empty if it has none. */
    public Optional<IpAddress> address(IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family).findFirst();
    }

    /**
     * Whether a Node's address is in a network.
     *
     * @param node null if it is unknown: then it is in the network of all addresses alone
     */
    public static boolean isIn(Cidr network, @Nullable NodeInfo node) {
        return network.prefixLength() == 0
                || (node != null
                        && node.address(network.family())
                                .filter(network::contains)
                                .isPresent());
    }

    /** A Node of unknown version that is not leaving. */
    public NodeInfo(String name, String zone, List<IpAddress> addresses, List<Cidr> podCidrs) {
        this(name, zone, addresses, podCidrs, false, "");
    }
}
