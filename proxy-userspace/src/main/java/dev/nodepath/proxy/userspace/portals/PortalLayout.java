package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Optional;

/**
 * The relay's ports for the portals of one family, and the addresses with node ports.
 *
 * @param bound the only address that the relay listens on; empty if it listens on all
 * @param node the node's own address; empty if it is not known
 * @param ports the relay's ports, by portal
 * @param nodePortNetworks the networks whose addresses serve node ports; empty if all do
 */
public record PortalLayout(
        Optional<IpAddress> bound, Optional<IpAddress> node, PortalPorts ports, List<Cidr> nodePortNetworks) {
    public PortalLayout {
        nodePortNetworks = List.copyOf(nodePortNetworks);
    }
}
