package dev.nodepath.linux.link;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Requests about the VLANs of bridge ports, and how they are read ({@code include/uapi/linux/if_bridge.h}). */
final class VlanMessages {
    private static final int DELLINK = 17;
    private static final int GETLINK = 18;
    private static final int SETLINK = 19;
    private static final int AF_BRIDGE = 7;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFLA_AF_SPEC = 26;
    private static final int IFLA_EXT_MASK = 29;
    /** Asks for ranges of VLANs. A port's 4094 VLANs one by one would be too long for a message. */
    private static final int EXT_MASK_VLANS_COMPRESSED = 4;

    private static final int BRIDGE_FLAGS = 0;
    private static final int FLAG_MASTER = 1;
    private static final int FLAG_SELF = 2;
    private static final int BRIDGE_VLAN_INFO = 2;
    private static final int PVID = 2;
    private static final int UNTAGGED = 4;
    private static final int RANGE_BEGIN = 8;
    private static final int RANGE_END = 16;

    private VlanMessages() {}

    static NetlinkRequest add(int index, PortVlan vlan) {
        int flags = (vlan.pvid() ? PVID : 0) | (vlan.untagged() ? UNTAGGED : 0);
        return change(SETLINK, index, FLAG_MASTER, vlan, flags);
    }

    /** Adds a VLAN to a bridge's own end. */
    static NetlinkRequest addOwn(int bridgeIndex, int id) {
        return change(SETLINK, bridgeIndex, FLAG_SELF, PortVlan.tagged(id), 0);
    }

    static NetlinkRequest delete(int index, int id) {
        return change(DELLINK, index, FLAG_MASTER, PortVlan.tagged(id), 0);
    }

    /** Lists the VLANs of all ports. The kernel has no request for one port. */
    static NetlinkRequest list() {
        return header(NetlinkRequest.dump(GETLINK), 0).attribute(IFLA_EXT_MASK, EXT_MASK_VLANS_COMPRESSED);
    }

    /** The VLANs in a message about the port of this index; none if it is about another. */
    static List<PortVlan> read(NetlinkMessage message, int index) {
        List<PortVlan> vlans = new ArrayList<>();
        NetlinkAttributes attributes = message.attributes(IFINFOMSG_BYTES);
        if (message.payload().getInt(4) == index) {
            int first = 0;
            for (ByteBuffer info : attributes.nested(IFLA_AF_SPEC).each(BRIDGE_VLAN_INFO)) {
                int flags = info.getShort(0);
                int last = info.getShort(2) & 0xFFFF;
                first = (flags & RANGE_END) == 0 ? last : first;
                for (int id = first; id <= last && (flags & RANGE_BEGIN) == 0; id++) {
                    vlans.add(new PortVlan(id, id, (flags & PVID) != 0, (flags & UNTAGGED) != 0));
                }
            }
        }
        return vlans;
    }

    private static NetlinkRequest change(int type, int index, int whose, PortVlan vlan, int flags) {
        NetlinkRequest request = header(NetlinkRequest.acknowledged(type, 0), index);
        int spec = request.begin(IFLA_AF_SPEC);
        request.attribute(BRIDGE_FLAGS, shorts(whose));
        if (vlan.first() == vlan.last()) {
            request.attribute(BRIDGE_VLAN_INFO, shorts(flags, vlan.first()));
        } else {
            request.attribute(BRIDGE_VLAN_INFO, shorts(flags | RANGE_BEGIN, vlan.first()))
                    .attribute(BRIDGE_VLAN_INFO, shorts(flags | RANGE_END, vlan.last()));
        }
        return request.end(spec);
    }

    private static byte[] shorts(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 2).order(ByteOrder.nativeOrder());
        for (int value : values) {
            bytes.putShort((short) value);
        }
        return bytes.array();
    }

    private static NetlinkRequest header(NetlinkRequest request, int index) {
        return request.putByte(AF_BRIDGE)
                .putByte(0)
                .putShort(0)
                .putInt(index)
                .putInt(0)
                .putInt(0);
    }
}
