package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Requests about links, and how a link is read ({@code include/uapi/linux/if_link.h}). */
public final class LinkMessages {
    private static final int NEWLINK = 16;
    private static final int DELLINK = 17;
    private static final int GETLINK = 18;
    private static final int SETLINK = 19;

    private static final int AF_UNSPEC = 0;
    private static final int AF_BRIDGE = 7;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFF_UP = 1;
    private static final int IFF_PROMISC = 0x100;
    private static final int OPERSTATE_UP = 6;

    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFLA_LINK = 5;
    private static final int IFLA_MASTER = 10;
    private static final int IFLA_PROTINFO = 12;
    private static final int IFLA_OPERSTATE = 16;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_IFALIAS = 20;
    private static final int IFLA_GROUP = 27;
    private static final int IFLA_NET_NS_FD = 28;
    private static final int IFLA_EXT_MASK = 29;
    private static final int IFLA_LINK_NETNSID = 37;
    private static final int IFLA_TARGET_NETNSID = 46;
    private static final int INFO_KIND = 1;
    private static final int INFO_DATA = 2;
    private static final int INFO_SLAVE_KIND = 4;
    private static final int INFO_SLAVE_DATA = 5;
    private static final int VETH_INFO_PEER = 1;
    private static final int BR_VLAN_FILTERING = 7;
    private static final int BR_NF_CALL_IPTABLES = 36;
    private static final int BR_NF_CALL_IP6TABLES = 37;
    private static final int BRPORT_MODE = 4;
    private static final int BRPORT_GROUP_FWD_MASK = 31;
    private static final int BRPORT_ISOLATED = 33;

    /** A bit for each last digit of a reserved group address. The kernel refuses the address of pauses. */
    private static final int RESERVED_BUT_PAUSE = 0xFFFF & ~(1 << 1);
    /** Leaves the counters out of the answer, half of its bytes. */
    private static final int EXT_MASK_SKIP_STATS = 8;

    /** The group of links to delete. No other program is known to use this number. */
    private static final int GROUP_TO_DELETE = 0x6e70_6465;

    private static final NetlinkAttributes NO_ATTRIBUTES = NetlinkAttributes.parse(ByteBuffer.allocate(0));
    private static final String BRIDGE = "bridge";
    private static final String VETH = "veth";
    /** Links that stand on another and have its hardware. */
    private static final Set<String> UPPER_KINDS = Set.of("vlan", "macvlan", "macvtap", "ipvlan", "ipvtap");

    private LinkMessages() {}

    static NetlinkRequest list() {
        return header(NetlinkRequest.dump(GETLINK), AF_UNSPEC, 0, 0, 0).attribute(IFLA_EXT_MASK, EXT_MASK_SKIP_STATS);
    }

    static NetlinkRequest find(int index) {
        return header(NetlinkRequest.question(GETLINK), AF_UNSPEC, index, 0, 0)
                .attribute(IFLA_EXT_MASK, EXT_MASK_SKIP_STATS);
    }

    static NetlinkRequest find(String name) {
        return header(NetlinkRequest.question(GETLINK), AF_UNSPEC, 0, 0, 0)
                .attribute(IFLA_IFNAME, name)
                .attribute(IFLA_EXT_MASK, EXT_MASK_SKIP_STATS);
    }

    /** Creates a bridge; EEXIST if the name is taken. */
    public static NetlinkRequest createBridge(BridgeSpec spec) {
        NetlinkRequest request = create();
        end(request, spec.name(), spec.mac(), spec.mtu());
        int info = request.begin(IFLA_LINKINFO);
        request.attribute(INFO_KIND, BRIDGE);
        if (spec.netfilter() || spec.vlanFiltering()) {
            int data = request.begin(INFO_DATA);
            if (spec.vlanFiltering()) {
                request.byteAttribute(BR_VLAN_FILTERING, 1);
            }
            if (spec.netfilter()) {
                request.byteAttribute(BR_NF_CALL_IPTABLES, 1).byteAttribute(BR_NF_CALL_IP6TABLES, 1);
            }
            request.end(data);
        }
        return request.end(info);
    }

    static NetlinkRequest createVxlan(VxlanSpec spec) {
        NetlinkRequest request = create();
        end(request, spec.name(), Optional.of(spec.mac()), Optional.of(spec.mtu()));
        int info = request.begin(IFLA_LINKINFO);
        request.attribute(INFO_KIND, VxlanMessages.KIND);
        int data = request.begin(INFO_DATA);
        VxlanMessages.write(request, spec.tunnel());
        return request.end(data).end(info);
    }

    /**
     * A veth pair.
     *
     * @param mac of the near end; empty leaves it to the kernel
     * @param mtu of both ends
     * @param peerNamespaceFd where the far end is born, a descriptor of this process
     */
    static NetlinkRequest createVeth(
            String name, Optional<MacAddress> mac, Optional<Integer> mtu, String peerName, int peerNamespaceFd) {
        NetlinkRequest request = create();
        end(request, name, mac, mtu);
        int info = request.begin(IFLA_LINKINFO);
        request.attribute(INFO_KIND, VETH);
        int data = request.begin(INFO_DATA);
        int peer = request.begin(VETH_INFO_PEER);
        header(request, AF_UNSPEC, 0, 0, 0);
        end(request, peerName, Optional.empty(), mtu);
        request.attribute(IFLA_NET_NS_FD, peerNamespaceFd);
        return request.end(peer).end(data).end(info);
    }

    static NetlinkRequest delete(int index) {
        return header(NetlinkRequest.acknowledged(DELLINK, 0), AF_UNSPEC, index, 0, 0);
    }

    /** Marks a link for {@link #deleteMarked}. */
    static NetlinkRequest markForDeletion(int index) {
        return change(AF_UNSPEC, index).attribute(IFLA_GROUP, GROUP_TO_DELETE);
    }

    /** Deletes all links that are marked, in one go; ENODEV if there are none. */
    static NetlinkRequest deleteMarked() {
        return header(NetlinkRequest.acknowledged(DELLINK, 0), AF_UNSPEC, 0, 0, 0)
                .attribute(IFLA_GROUP, GROUP_TO_DELETE);
    }

    static NetlinkRequest setUp(int index, boolean up) {
        return header(NetlinkRequest.acknowledged(SETLINK, 0), AF_UNSPEC, index, up ? IFF_UP : 0, IFF_UP);
    }

    static NetlinkRequest setMaster(int index, int masterIndex) {
        return change(AF_UNSPEC, index).attribute(IFLA_MASTER, masterIndex);
    }

    static NetlinkRequest setMac(int index, MacAddress mac) {
        return change(AF_UNSPEC, index).attribute(IFLA_ADDRESS, mac.toBytes());
    }

    static NetlinkRequest setMtu(int index, int mtu) {
        return change(AF_UNSPEC, index).attribute(IFLA_MTU, mtu);
    }

    static NetlinkRequest setHairpin(int index, boolean hairpin) {
        return setPort(index, BRPORT_MODE, hairpin);
    }

    static NetlinkRequest setIsolated(int index, boolean isolated) {
        return setPort(index, BRPORT_ISOLATED, isolated);
    }

    static NetlinkRequest setForwardsReserved(int index, boolean forwards) {
        NetlinkRequest request = change(AF_BRIDGE, index);
        int port = request.begin(IFLA_PROTINFO | NetlinkRequest.NESTED);
        return request.shortAttribute(BRPORT_GROUP_FWD_MASK, forwards ? RESERVED_BUT_PAUSE : 0)
                .end(port);
    }

    static NetlinkRequest setAlias(int index, String alias) {
        return change(AF_UNSPEC, index).attribute(IFLA_IFALIAS, alias.getBytes(StandardCharsets.UTF_8));
    }

    static NetlinkRequest setPromiscuous(int index, boolean promiscuous) {
        return header(
                NetlinkRequest.acknowledged(SETLINK, 0), AF_UNSPEC, index, promiscuous ? IFF_PROMISC : 0, IFF_PROMISC);
    }

    static NetlinkRequest setVlanFiltering(int index, boolean filtering) {
        return setBridge(index, filtering, BR_VLAN_FILTERING);
    }

    static NetlinkRequest setNetfilter(int index, boolean netfilter) {
        return setBridge(index, netfilter, BR_NF_CALL_IPTABLES, BR_NF_CALL_IP6TABLES);
    }

    private static NetlinkRequest setPort(int index, int option, boolean on) {
        NetlinkRequest request = change(AF_BRIDGE, index);
        int port = request.begin(IFLA_PROTINFO | NetlinkRequest.NESTED);
        return request.byteAttribute(option, on ? 1 : 0).end(port);
    }

    /** Options of a kind of link are changed by NEWLINK: SETLINK passes them over. */
    private static NetlinkRequest setBridge(int index, boolean on, int... options) {
        NetlinkRequest request = header(NetlinkRequest.acknowledged(NEWLINK, 0), AF_UNSPEC, index, 0, 0);
        int info = request.begin(IFLA_LINKINFO);
        request.attribute(INFO_KIND, BRIDGE);
        int data = request.begin(INFO_DATA);
        for (int option : options) {
            request.byteAttribute(option, on ? 1 : 0);
        }
        return request.end(data).end(info);
    }

    /** A question for the other end of a link that was read. */
    static NetlinkRequest findPeer(NetlinkMessage near, int peerIndex) {
        NetlinkAttributes attributes = near.attributes(IFINFOMSG_BYTES);
        NetlinkRequest request = find(peerIndex);
        return attributes.has(IFLA_LINK_NETNSID)
                ? request.attribute(IFLA_TARGET_NETNSID, attributes.number(IFLA_LINK_NETNSID))
                : request;
    }

    /** Reads the link of an RTM_NEWLINK message. */
    public static Link read(NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(IFINFOMSG_BYTES);
        ByteBuffer header = message.payload();
        int index = header.getInt(4);
        NetlinkAttributes info = attributes.nested(IFLA_LINKINFO);
        String kind = info.text(INFO_KIND);
        NetlinkAttributes bridge = kind.equals(BRIDGE) ? info.nested(INFO_DATA) : NO_ATTRIBUTES;
        NetlinkAttributes port =
                info.text(INFO_SLAVE_KIND).equals(BRIDGE) ? info.nested(INFO_SLAVE_DATA) : NO_ATTRIBUTES;
        byte[] mac = attributes.bytes(IFLA_ADDRESS);
        return new Link(
                index,
                attributes.text(IFLA_IFNAME),
                kind,
                mac != null && mac.length == MacAddress.LENGTH ? Optional.of(MacAddress.of(mac)) : Optional.empty(),
                attributes.number(IFLA_MTU),
                (header.getInt(8) & IFF_UP) != 0,
                attributes.number(IFLA_OPERSTATE) == OPERSTATE_UP,
                attributes.number(IFLA_MASTER),
                peerIndex(attributes, kind, index),
                attributes.text(IFLA_IFALIAS),
                (header.getInt(8) & IFF_PROMISC) != 0,
                port.number(BRPORT_MODE) == 1,
                port.number(BRPORT_ISOLATED) == 1,
                bridge.number(BR_VLAN_FILTERING) == 1,
                netfilter(bridge),
                kind.equals(VxlanMessages.KIND) ? VxlanMessages.read(info.nested(INFO_DATA)) : Optional.empty());
    }

    private static Set<IpFamily> netfilter(NetlinkAttributes bridge) {
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        if (bridge.number(BR_NF_CALL_IPTABLES) == 1) {
            families.add(IpFamily.IPV4);
        }
        if (bridge.number(BR_NF_CALL_IP6TABLES) == 1) {
            families.add(IpFamily.IPV6);
        }
        return families;
    }

    /** Before Linux 5.13 the peer's index was left out if it equals the link's own, although the peer is elsewhere. */
    private static int peerIndex(NetlinkAttributes attributes, String kind, int index) {
        boolean elsewhere = attributes.has(IFLA_LINK_NETNSID);
        if (!kind.equals(VETH)) {
            return UPPER_KINDS.contains(kind) && !elsewhere ? attributes.number(IFLA_LINK) : 0;
        }
        return attributes.has(IFLA_LINK) || !elsewhere ? attributes.number(IFLA_LINK) : index;
    }

    private static NetlinkRequest create() {
        int flags = NetlinkRequest.CREATE | NetlinkRequest.EXCL;
        return header(NetlinkRequest.acknowledged(NEWLINK, flags), AF_UNSPEC, 0, 0, 0);
    }

    private static NetlinkRequest change(int family, int index) {
        return header(NetlinkRequest.acknowledged(SETLINK, 0), family, index, 0, 0);
    }

    /** The common part of a bridge and of both ends of a veth pair. */
    private static void end(NetlinkRequest request, String name, Optional<MacAddress> mac, Optional<Integer> mtu) {
        request.attribute(IFLA_IFNAME, name);
        if (mac.isPresent()) {
            request.attribute(IFLA_ADDRESS, mac.get().toBytes());
        }
        if (mtu.isPresent()) {
            request.attribute(IFLA_MTU, mtu.get().intValue());
        }
    }

    /** {@code struct ifinfomsg}. */
    private static NetlinkRequest header(NetlinkRequest request, int family, int index, int flags, int change) {
        return request.putByte(family)
                .putByte(0)
                .putShort(0)
                .putInt(index)
                .putInt(flags)
                .putInt(change);
    }
}
