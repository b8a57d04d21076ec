package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * A Node, as far as a proxy or a route needs it.
 *
 * @param name {@code metadata.name}
 * @param zone the label {@code topology.kubernetes.io/zone}; empty if unset
 * @param addresses the addresses of type InternalIP, in order; of a family that has none, the first ExternalIP after
 *     them, as kube-proxy takes it
 * @param podCidrs {@code spec.podCIDRs}
 * @param leaving whether it is being deleted ({@code metadata.deletionTimestamp}), or soon will be (taint {@value
 *     #TO_BE_DELETED_TAINT}), so that load balancers should send it no new traffic
 */
public record NodeInfo(String name, String zone, List<IpAddress> addresses, List<Cidr> podCidrs, boolean leaving) {
    /** Set by the cluster autoscaler on a Node that it is about to remove; kube-proxy's health check heeds it too. */
    public static final String TO_BE_DELETED_TAINT = "ToBeDeletedByClusterAutoscaler";

    /** Copies the lists. */
    public NodeInfo {
        addresses = List.copyOf(addresses);
        podCidrs = List.copyOf(podCidrs);
    }

    /** A Node that stays. */
    public NodeInfo(String name, String zone, List<IpAddress> addresses, List<Cidr> podCidrs) {
        this(name, zone, addresses, podCidrs, false);
    }
}
