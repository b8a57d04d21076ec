package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The content of {@code IFLA_INFO_DATA} of a VXLAN link ({@code IFLA_VXLAN_*} of {@code
 * include/uapi/linux/if_link.h}).
 */
final class VxlanMessages {
    static final String KIND = "vxlan";

    private static final int ID = 1;
    private static final int LOCAL = 4;
    private static final int LEARNING = 7;
    private static final int PORT = 15;
    private static final int LOCAL6 = 17;

    private VxlanMessages() {}

    static void write(NetlinkRequest request, Vxlan tunnel) {
        boolean ipv4 = tunnel.local().family() == IpFamily.IPV4;
        request.attribute(ID, tunnel.id())
                .attribute(ipv4 ? LOCAL : LOCAL6, tunnel.local().toBytes())
                .byteAttribute(LEARNING, tunnel.learning() ? 1 : 0)
                // In network byte order, unlike all numbers around it.
                .attribute(
                        PORT,
                        ByteBuffer.allocate(2).putShort((short) tunnel.port()).array());
    }

    /** Empty for a link without an address of its own end. */
    static Optional<Vxlan> read(NetlinkAttributes data) {
        byte[] local = data.bytes(data.has(LOCAL6) ? LOCAL6 : LOCAL);
        byte[] port = data.bytes(PORT);
        if (local == null || port == null) {
            return Optional.empty();
        }
        int number = ByteBuffer.wrap(port).getShort() & 0xFFFF;
        return Optional.of(new Vxlan(data.number(ID), IpAddress.of(local), number, data.number(LEARNING) == 1));
    }
}
