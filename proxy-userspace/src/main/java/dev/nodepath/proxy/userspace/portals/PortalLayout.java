package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.Cidr;
import java.util.List;

/**
 * Where the portals of one family lead to, and which addresses have node ports.
 *
 * @param proxy the addresses of the relay
 * @param ports its ports, by portal
 * @param tcpPort the port that all TCP portals share
 * @param nodePortNetworks the networks whose addresses serve node ports; empty if all do
 * @param keepsClientAddress whether endpoints may answer to addresses of clients
 */
public record PortalLayout(
        ProxyAddress proxy, PortalPorts ports, int tcpPort, List<Cidr> nodePortNetworks, boolean keepsClientAddress) {
    /** A relay that dials from the node's addresses alone. */
    public PortalLayout(ProxyAddress proxy, PortalPorts ports, int tcpPort, List<Cidr> nodePortNetworks) {
        this(proxy, ports, tcpPort, nodePortNetworks, false);
    }

    /** Copies the list. */
    public PortalLayout {
        nodePortNetworks = List.copyOf(nodePortNetworks);
    }
}
