package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpAddress;

/**
 * What a VXLAN link does with its frames (RFC 7348).
 *
 * @param id the VXLAN network identifier, 0 to 16777215; with the port unique in a namespace
 * @param local the address of this end of the tunnels, from which and at which packets are sent and taken
 * @param port the UDP port of all ends
 * @param learning whether it learns from what it receives where a hardware address is; otherwise only {@link
 *     NeighbourTables#setForwarding} says so
 */
public record Vxlan(int id, IpAddress local, int port, boolean learning) {}
