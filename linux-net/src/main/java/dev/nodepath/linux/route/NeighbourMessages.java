package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Requests about neighbours and forwarding entries, and how they are read ({@code include/uapi/linux/neighbour.h}). */
final class NeighbourMessages {
    private static final int NEWNEIGH = 28;
    private static final int DELNEIGH = 29;
    private static final int GETNEIGH = 30;

    private static final int NDMSG_BYTES = 12;
    private static final int AF_BRIDGE = 7;
    private static final int STATE_PERMANENT = 0x80;
    /** The entry is one of the link itself, not of the bridge that it is a port of. */
    private static final int FLAG_SELF = 0x02;

    private static final int NDA_DST = 1;
    private static final int NDA_LLADDR = 2;
    private static final int NDA_IFINDEX = 8;

    private NeighbourMessages() {}

    static NetlinkRequest listNeighbours(IpFamily family, int linkIndex) {
        return header(NetlinkRequest.dump(GETNEIGH), family.addressFamily(), 0, 0, 0)
                .attribute(NDA_IFINDEX, linkIndex);
    }

    static NetlinkRequest set(Neighbour neighbour) {
        NetlinkRequest request = NetlinkRequest.acknowledged(NEWNEIGH, NetlinkRequest.CREATE | NetlinkRequest.REPLACE);
        int family = neighbour.address().family().addressFamily();
        return header(request, family, neighbour.linkIndex(), STATE_PERMANENT, 0)
                .attribute(NDA_DST, neighbour.address().toBytes())
                .attribute(NDA_LLADDR, neighbour.mac().toBytes());
    }

    static NetlinkRequest delete(Neighbour neighbour) {
        int family = neighbour.address().family().addressFamily();
        return header(NetlinkRequest.acknowledged(DELNEIGH, 0), family, neighbour.linkIndex(), 0, 0)
                .attribute(NDA_DST, neighbour.address().toBytes());
    }

    static NetlinkRequest listForwardings(int linkIndex) {
        return header(NetlinkRequest.dump(GETNEIGH), AF_BRIDGE, 0, 0, 0).attribute(NDA_IFINDEX, linkIndex);
    }

    static NetlinkRequest set(Forwarding forwarding) {
        NetlinkRequest request = NetlinkRequest.acknowledged(NEWNEIGH, NetlinkRequest.CREATE | NetlinkRequest.REPLACE);
        return body(request, forwarding, STATE_PERMANENT);
    }

    static NetlinkRequest delete(Forwarding forwarding) {
        return body(NetlinkRequest.acknowledged(DELNEIGH, 0), forwarding, 0);
    }

    private static NetlinkRequest body(NetlinkRequest request, Forwarding forwarding, int state) {
        return header(request, AF_BRIDGE, forwarding.linkIndex(), state, FLAG_SELF)
                .attribute(NDA_LLADDR, forwarding.mac().toBytes())
                .attribute(NDA_DST, forwarding.remote().toBytes());
    }

    /** A neighbour; null if it is not permanent, or of another link, which an older kernel lists too. */
    static @Nullable Neighbour readNeighbour(NetlinkMessage message, int linkIndex) {
        Entry entry = read(message, linkIndex);
        return entry == null ? null : new Neighbour(linkIndex, IpAddress.of(entry.destination), entry.mac);
    }

    /** Reads a forwarding entry. Null if it is not permanent, belongs to another link, or has no address. */
    static @Nullable Forwarding readForwarding(NetlinkMessage message, int linkIndex) {
        Entry entry = read(message, linkIndex);
        return entry == null ? null : new Forwarding(linkIndex, entry.mac, IpAddress.of(entry.destination));
    }

    @SuppressWarnings("ArrayRecordComponent") // read once, never compared
    private record Entry(MacAddress mac, byte[] destination) {}

    private static @Nullable Entry read(NetlinkMessage message, int linkIndex) {
        NetlinkAttributes attributes = message.attributes(NDMSG_BYTES);
        ByteBuffer header = message.payload();
        byte[] destination = attributes.bytes(NDA_DST);
        byte[] mac = attributes.bytes(NDA_LLADDR);
        boolean wanted = header.getInt(4) == linkIndex && (header.getShort(8) & STATE_PERMANENT) != 0;
        return wanted && destination != null && mac != null && mac.length == MacAddress.LENGTH
                ? new Entry(MacAddress.of(mac), destination)
                : null;
    }

    /** {@code struct ndmsg}. */
    private static NetlinkRequest header(NetlinkRequest request, int family, int linkIndex, int state, int flags) {
        return request.putByte(family)
                .putByte(0)
                .putShort(0)
                .putInt(linkIndex)
                .putShort(state)
                .putByte(flags)
                .putByte(0);
    }
}
