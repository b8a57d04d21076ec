package dev.nodepath.endpoints;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.util.List;

/**
 * A Node, as far as a proxy or a route needs it.
 *
 * @param name {@code metadata.name}
 * @param zone the label {@code topology.kubernetes.io/zone}; empty if unset
 * @param addresses the addresses of type InternalIP, in order
 * @param podCidrs {@code spec.podCIDRs}
 */
public record NodeInfo(String name, String zone, List<IpAddress> addresses, List<Cidr> podCidrs) {
    /** Copies the lists. */
    public NodeInfo {
        addresses = List.copyOf(addresses);
        podCidrs = List.copyOf(podCidrs);
    }
}
