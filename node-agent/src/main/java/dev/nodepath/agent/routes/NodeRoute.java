package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import java.util.Optional;

/**
 * The route to a podCIDR of another node.
 *
 * @param gateway the node's address on the link, or the address of its end of the overlay
 * @param linkIndex the link that the gateway is on; 0 for the overlay
 * @param tunnel through the overlay; empty if the gateway is on the link
 */
record NodeRoute(Cidr destination, IpAddress gateway, int linkIndex, Optional<Tunnel> tunnel) {

    /**
     * The other end of the overlay.
     *
     * @param mac the overlay link's there
     * @param remote the node's address, to which packets are sent in VXLAN
     */
    record Tunnel(MacAddress mac, IpAddress remote) {}
}
