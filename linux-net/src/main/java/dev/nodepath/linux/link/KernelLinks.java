package dev.nodepath.linux.link;

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

/** The links of an opened namespace, over its socket. {@code NetworkNamespace} documents the methods. */
public final class KernelLinks {
    private final NetlinkSocket socket;

    /** The links of the namespace in which the socket was opened. */
    public KernelLinks(NetlinkSocket socket) {
        this.socket = socket;
    }

    public List<Link> list() throws LinuxNetException {
        List<Link> links = new ArrayList<>();
        for (NetlinkMessage message : socket.exchange("list links", LinkMessages.list())) {
            links.add(LinkMessages.read(message));
        }
        return links;
    }

    public Optional<Link> find(String name) throws LinuxNetException {
        if (name.isEmpty() || name.indexOf('\0') >= 0 || LinkNames.isTooLong(name)) {
            return Optional.empty();
        }
        return find("find link " + name, LinkMessages.find(name));
    }

    public Optional<Link> find(int index) throws LinuxNetException {
        return index <= 0 ? Optional.empty() : find("find link " + index, LinkMessages.find(index));
    }

    /** The namespace of the other end is found by the number that the kernel has given it here. */
    public Optional<Link> peer(Link veth) throws LinuxNetException {
        String operation = "find peer of link " + veth.index();
        Optional<NetlinkMessage> near = message(operation, LinkMessages.find(veth.index()));
        return near.isEmpty() ? Optional.empty() : find(operation, LinkMessages.findPeer(near.get(), veth.peerIndex()));
    }

    private Optional<Link> find(String operation, NetlinkRequest request) throws LinuxNetException {
        return message(operation, request).map(LinkMessages::read);
    }

    private Optional<NetlinkMessage> message(String operation, NetlinkRequest request) throws LinuxNetException {
        try {
            return socket.exchange(operation, request).stream().findFirst();
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENODEV) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public Link createBridge(BridgeSpec spec) throws LinuxNetException {
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
    public Link createVeth(
            String name, Optional<MacAddress> mac, Optional<Integer> mtu, String peerName, Descriptor peer)
            throws LinuxNetException {
        String operation = "create veth " + name + " with peer " + peerName;
        LinkNames.check(operation, name);
        LinkNames.check(operation, peerName);
        change(operation, LinkMessages.createVeth(name, mac, mtu, peerName, peer.number()));
        return created(operation, name);
    }

    public Link createVxlan(VxlanSpec spec) throws LinuxNetException {
        String operation = "create vxlan " + spec.name();
        LinkNames.check(operation, spec.name());
        change(operation, LinkMessages.createVxlan(spec));
        return created(operation, spec.name());
    }

    public void delete(int index) throws LinuxNetException {
        change("delete link " + index, LinkMessages.delete(index));
    }

    public void deleteAll(Collection<Integer> indexes) throws LinuxNetException {
        for (int index : indexes) {
            unlessMissing(
                    "put link " + index + " into the group of those to be deleted",
                    LinkMessages.markForDeletion(index));
        }
        if (!indexes.isEmpty()) {
            unlessMissing("delete links " + indexes, LinkMessages.deleteMarked());
        }
    }

    public void setUp(int index, boolean up) throws LinuxNetException {
        change("set link " + index + (up ? " up" : " down"), LinkMessages.setUp(index, up));
    }

    public void setMaster(int index, int masterIndex) throws LinuxNetException {
        change("set master of link " + index + " to " + masterIndex, LinkMessages.setMaster(index, masterIndex));
    }

    public void setMac(int index, MacAddress mac) throws LinuxNetException {
        change("set hardware address of link " + index + " to " + mac, LinkMessages.setMac(index, mac));
    }

    public void setMtu(int index, int mtu) throws LinuxNetException {
        change("set mtu of link " + index + " to " + mtu, LinkMessages.setMtu(index, mtu));
    }

    public void setHairpin(int index, boolean hairpin) throws LinuxNetException {
        change("set hairpin of link " + index + " to " + hairpin, LinkMessages.setHairpin(index, hairpin));
    }

    public void setIsolated(int index, boolean isolated) throws LinuxNetException {
        change("set isolation of link " + index + " to " + isolated, LinkMessages.setIsolated(index, isolated));
    }

    public void setForwardsReserved(int index, boolean forwards) throws LinuxNetException {
        change(
                "set forwarding of reserved addresses of link " + index + " to " + forwards,
                LinkMessages.setForwardsReserved(index, forwards));
    }

    public void setAlias(int index, String alias) throws LinuxNetException {
        change("set alias of link " + index, LinkMessages.setAlias(index, alias));
    }

    public void setPromiscuous(int index, boolean promiscuous) throws LinuxNetException {
        change(
                "set promiscuous mode of link " + index + " to " + promiscuous,
                LinkMessages.setPromiscuous(index, promiscuous));
    }

    public void setVlanFiltering(int index, boolean filtering) throws LinuxNetException {
        change(
                "set vlan filtering of bridge " + index + " to " + filtering,
                LinkMessages.setVlanFiltering(index, filtering));
    }

    public void setNetfilter(int index, boolean netfilter) throws LinuxNetException {
        String operation = "set netfilter of bridge " + index + " to " + netfilter;
        BridgeNetfilter.check(operation, netfilter);
        change(operation, LinkMessages.setNetfilter(index, netfilter));
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
        socket.exchange(operation, request);
    }

    private Link created(String operation, String name) throws LinuxNetException {
        Optional<Link> link = find(name);
        if (link.isEmpty()) {
            throw new LinuxNetException(operation, Errno.ENODEV.number(), "deleted again meanwhile");
        }
        return link.get();
    }
}
