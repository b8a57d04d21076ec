package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Requests about packet counters, and the kernel's answers ({@code include/uapi/linux/netfilter/nfnetlink_acct.h}). */
final class PacketCounterMessages {
    /** {@code struct nfgenmsg}: family, version, resource; all 0, as a counter is of no family. */
    private static final int HEADER_BYTES = 4;

    private static final int SUBSYSTEM = 7 << 8;
    private static final int NEW = SUBSYSTEM;
    private static final int GET = SUBSYSTEM | 1;
    private static final int DELETE = SUBSYSTEM | 3;

    private static final int NAME = 1;
    private static final int PACKETS = 2;
    private static final int USE = 4;

    private PacketCounterMessages() {}

    /** EEXIST if it is there. */
    static NetlinkRequest create(String name) {
        return named(NetlinkRequest.acknowledged(NEW, NetlinkRequest.CREATE | NetlinkRequest.EXCL), name);
    }

    /** ENOENT if there is none. */
    static NetlinkRequest get(String name) {
        return named(NetlinkRequest.acknowledged(GET, 0), name);
    }

    /** ENOENT if there is none, EBUSY while a rule names it. */
    static NetlinkRequest delete(String name) {
        return named(NetlinkRequest.acknowledged(DELETE, 0), name);
    }

    /** The packets, in network byte order there. */
    static OptionalLong packets(NetlinkMessage message) {
        byte[] packets = message.attributes(HEADER_BYTES).bytes(PACKETS);
        return packets == null || packets.length != Long.BYTES
                ? OptionalLong.empty()
                : OptionalLong.of(ByteBuffer.wrap(packets).getLong());
    }

    /** The kernel itself counts as one user of the counter, and each rule as a further one. */
    static boolean isNamed(NetlinkMessage message) {
        byte[] users = message.attributes(HEADER_BYTES).bytes(USE);
        return users != null
                && users.length == Integer.BYTES
                && ByteBuffer.wrap(users).getInt() > 1;
    }

    private static NetlinkRequest named(NetlinkRequest request, String name) {
        return request.putInt(0).attribute(NAME, name);
    }
}
