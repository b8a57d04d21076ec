package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpAddress;

/**
 * The settings of a VXLAN link (RFC 7348).
 *
 * @param id the VXLAN network identifier, 0 to 16777215; with the port unique in a namespace
 * @param local the address of this end, which sends and receives the packets
 * @param port the UDP port of all ends
 * @param learning whether it learns the node of a hardware address from received packets; otherwise {@link
 *     dev.nodepath.linux.route.NeighbourTables#setForwarding} must set it
 */
public record Vxlan(int id, IpAddress local, int port, boolean learning) {}
