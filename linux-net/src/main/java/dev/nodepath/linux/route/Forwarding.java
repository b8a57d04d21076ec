package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;

/**
 * A permanent entry of a VXLAN link's forwarding table: the tunnel endpoint of a hardware address.
 *
 * @param linkIndex the VXLAN link's index
 * @param mac the destination of frames
 * @param remote the address of the tunnel endpoint
 */
public record Forwarding(int linkIndex, MacAddress mac, IpAddress remote) {}
