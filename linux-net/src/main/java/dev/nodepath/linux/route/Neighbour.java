package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;

/**
 * A permanent entry of the neighbour table: the hardware address of an IP address on a link.
 *
 * @param linkIndex the link's index
 */
public record Neighbour(int linkIndex, IpAddress address, MacAddress mac) {}
