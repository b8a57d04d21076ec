package dev.nodepath.linux;

/**
 * A permanent entry of the neighbour table: the hardware address of an IP address on a link.
 *
 * @param linkIndex the link's index
 */
public record Neighbour(int linkIndex, IpAddress address, MacAddress mac) {}
