package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;

/**
 * A VXLAN link to be made.
 *
 * @param name 1 to 15 characters
 * @param mac its hardware address, which stays
 * @param mtu in bytes: the MTU of the network below, minus {@link #overheadBytes}
 * @param tunnel the settings of the tunnel
 */
public record VxlanSpec(String name, MacAddress mac, int mtu, Vxlan tunnel) {
    /** Ethernet 14, VXLAN 8, UDP 8. */
    private static final int HEADERS_BYTES = 30;

    private static final int IPV4_HEADER_BYTES = 20;
    private static final int IPV6_HEADER_BYTES = 40;

    /** The growth of a packet in a tunnel over this family, in bytes. */
    public static int overheadBytes(IpFamily family) {
        return HEADERS_BYTES + (family == IpFamily.IPV4 ? IPV4_HEADER_BYTES : IPV6_HEADER_BYTES);
    }
}
