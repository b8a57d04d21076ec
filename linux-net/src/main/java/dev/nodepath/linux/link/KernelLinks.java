package dev.nodepath.linux.link;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The links of an opened namespace of the kernel, their VLANs and addresses. */
public interface KernelLinks extends LinkOperations {
    /** A socket that was opened in the namespace. */
    NetlinkSocket socket();

    @Override
    default List<Link> links() throws LinuxNetException {
        List<Link> links = new ArrayList<>();
        for (NetlinkMessage message : socket().exchange("list links", LinkMessages.list())) {
            links.add(LinkMessages.read(message));
        }
        return links;
    }

    @Override
    default Optional<Link> link(String name) throws LinuxNetException {
        if (name.isEmpty() || name.indexOf('\0') >= 0 || LinkNames.isTooLong(name)) {
            return Optional.empty();
        }
        return find("find link " + name, LinkMessages.find(name));
    }

    @Override
    default Optional<Link> link(int index) throws LinuxNetException {
        return index <= 0 ? Optional.empty() : find("find link " + index, LinkMessages.find(index));
    }

    /** The namespace of the other end is found by the number that the kernel has given it here. */
    @Override
    default Optional<Link> peer(Link veth) throws LinuxNetException {
        String operation = "find peer of link " + veth.index();
        Optional<NetlinkMessage> near = message(operation, LinkMessages.find(veth.index()));
        return near.isEmpty() ? Optional.empty() : find(operation, LinkMessages.findPeer(near.get(), veth.peerIndex()));
    }

    private Optional<Link> find(String operation, NetlinkRequest request) throws LinuxNetException {
        return message(operation, request).map(LinkMessages::read);
    }

    private Optional<NetlinkMessage> message(String operation, NetlinkRequest request) throws LinuxNetException {
        try {
            return socket().exchange(operation, request).stream().findFirst();
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENODEV) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    default Link createBridge(BridgeSpec spec) throws LinuxNetException {
        String operation = "create bridge " + spec.name() + (spec.vlanFiltering() ? " with vlan filtering" : "");
        LinkNames.check(operation, spec.name());
        BridgeNetfilter.check(operation, spec.netfilter());
        change(operation, LinkMessages.createBridge(spec));
        return created(operation, spec.name());
    }

    /**
     * Makes a veth pair.
     *
     * @param mac of the near end; empty leaves it to the kernel
     * @param mtu of both ends; empty leaves it to the kernel
     * @param peer the namespace where the far end is born
     */
    default Link createVeth(
            String name, Optional<MacAddress> mac, Optional<Integer> mtu, String peerName, Descriptor peer)
            throws LinuxNetException {
        String operation = "create veth " + name + " with peer " + peerName;
        LinkNames.check(operation, name);
        LinkNames.check(operation, peerName);
        change(operation, LinkMessages.createVeth(name, mac, mtu, peerName, peer.number()));
        return created(operation, name);
    }

    @Override
    default Link createVxlan(VxlanSpec spec) throws LinuxNetException {
        String operation = "create vxlan " + spec.name();
        LinkNames.check(operation, spec.name());
        change(operation, LinkMessages.createVxlan(spec));
        return created(operation, spec.name());
    }

    @Override
    default void deleteLink(int index) throws LinuxNetException {
        change("delete link " + index, LinkMessages.delete(index));
    }

    @Override
    default void deleteLinks(Collection<Integer> indexes) throws LinuxNetException {
        for (int index : indexes) {
            unlessMissing(
                    "put link " + index + " into the group of those to be deleted",
                    LinkMessages.markForDeletion(index));
        }
        if (!indexes.isEmpty()) {
            unlessMissing("delete links " + indexes, LinkMessages.deleteMarked());
        }
    }

    @Override
    default void setUp(int index, boolean up) throws LinuxNetException {
        change("set link " + index + (up ? " up" : " down"), LinkMessages.setUp(index, up));
    }

    @Override
    default void setMaster(int index, int masterIndex) throws LinuxNetException {
        change("set master of link " + index + " to " + masterIndex, LinkMessages.setMaster(index, masterIndex));
    }

    @Override
    default void setMac(int index, MacAddress mac) throws LinuxNetException {
        change("set hardware address of link " + index + " to " + mac, LinkMessages.setMac(index, mac));
    }

    @Override
    default void setMtu(int index, int mtu) throws LinuxNetException {
        change("set mtu of link " + index + " to " + mtu, LinkMessages.setMtu(index, mtu));
    }

    @Override
    default void setHairpin(int index, boolean hairpin) throws LinuxNetException {
        change("set hairpin of link " + index + " to " + hairpin, LinkMessages.setHairpin(index, hairpin));
    }

    @Override
    default void setIsolated(int index, boolean isolated) throws LinuxNetException {
        change("set isolation of link " + index + " to " + isolated, LinkMessages.setIsolated(index, isolated));
    }

    @Override
    default void setForwardsReserved(int index, boolean forwards) throws LinuxNetException {
        change(
                "set forwarding of reserved addresses of link " + index + " to " + forwards,
                LinkMessages.setForwardsReserved(index, forwards));
    }

    @Override
    default void setAlias(int index, String alias) throws LinuxNetException {
        change("set alias of link " + index, LinkMessages.setAlias(index, alias));
    }

    @Override
    default void setPromiscuous(int index, boolean promiscuous) throws LinuxNetException {
        change(
                "set promiscuous mode of link " + index + " to " + promiscuous,
                LinkMessages.setPromiscuous(index, promiscuous));
    }

    @Override
    default void setVlanFiltering(int index, boolean filtering) throws LinuxNetException {
        change(
                "set vlan filtering of bridge " + index + " to " + filtering,
                LinkMessages.setVlanFiltering(index, filtering));
    }

    @Override
    default void setNetfilter(int index, boolean netfilter) throws LinuxNetException {
        String operation = "set netfilter of bridge " + index + " to " + netfilter;
        BridgeNetfilter.check(operation, netfilter);
        change(operation, LinkMessages.setNetfilter(index, netfilter));
    }

    @Override
    default void addVlan(int index, PortVlan vlan) throws LinuxNetException {
        change("add " + vlan + " to link " + index, VlanMessages.add(index, vlan));
    }

    @Override
    default void addOwnVlan(int bridgeIndex, int id) throws LinuxNetException {
        change("add vlan " + id + " to bridge " + bridgeIndex, VlanMessages.addOwn(bridgeIndex, id));
    }

    @Override
    default void deleteVlan(int index, int id) throws LinuxNetException {
        try {
            change("delete vlan " + id + " from link " + index, VlanMessages.delete(index, id));
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    @Override
    default List<PortVlan> vlans(int index) throws LinuxNetException {
        List<PortVlan> vlans = new ArrayList<>();
        for (NetlinkMessage message : socket().exchange("list vlans", VlanMessages.list())) {
            vlans.addAll(VlanMessages.read(message, index));
        }
        return vlans;
    }

    @Override
    default List<InterfaceAddress> addresses() throws LinuxNetException {
        return addresses("list addresses", 0);
    }

    @Override
    default List<InterfaceAddress> addresses(int index) throws LinuxNetException {
        return addresses("list addresses of link " + index, index);
    }

    /** The kernel leaves out other links' addresses, since 4.20; an older one lists them too. */
    private List<InterfaceAddress> addresses(String operation, int index) throws LinuxNetException {
        List<InterfaceAddress> addresses = new ArrayList<>();
        for (NetlinkMessage message : socket().exchange(operation, AddressMessages.list(index))) {
            InterfaceAddress address = AddressMessages.read(message);
            if (address != null && (index == 0 || address.linkIndex() == index)) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    @Override
    default void addAddress(int index, Cidr address, AddressOptions options) throws LinuxNetException {
        change("add address " + address + " to link " + index, AddressMessages.add(index, address, options));
    }

    @Override
    default void deleteAddress(int index, Cidr address) throws LinuxNetException {
        change("delete address " + address + " from link " + index, AddressMessages.delete(index, address));
    }

    private void unlessMissing(String operation, NetlinkRequest request) throws LinuxNetException {
        try {
            change(operation, request);
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        socket().exchange(operation, request);
    }

    private Link created(String operation, String name) throws LinuxNetException {
        Optional<Link> link = link(name);
        if (link.isEmpty()) {
            throw new LinuxNetException(operation, Errno.ENODEV.number(), "deleted again meanwhile");
        }
        return link.get();
    }
}
