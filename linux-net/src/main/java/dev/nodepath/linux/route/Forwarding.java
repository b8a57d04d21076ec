package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;

/**
 * A permanent entry of a VXLAN link's forwarding table: which end of the tunnels has a hardware address.
 *
 * @param linkIndex the VXLAN link's index
 * @param mac where frames are for
 * @param remote the address of the other end
 */
public record Forwarding(int linkIndex, MacAddress mac, IpAddress remote) {}
