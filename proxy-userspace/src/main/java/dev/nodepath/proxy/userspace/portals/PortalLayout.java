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
 */
public record PortalLayout(ProxyAddress proxy, PortalPorts ports, int tcpPort, List<Cidr> nodePortNetworks) {
    /** Copies the list. */
    public PortalLayout {
        nodePortNetworks = List.copyOf(nodePortNetworks);
    }
}
