package dev.nodepath.linux.link;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;

/**
 * The VLANs of bridge ports of an opened namespace, over its socket. {@code NetworkNamespace} documents the methods.
 */
public final class KernelVlans {
    private final NetlinkSocket socket;

    /** Uses a socket that the caller closes. */
    public KernelVlans(NetlinkSocket socket) {
        this.socket = socket;
    }

    public void add(int index, PortVlan vlan) throws LinuxNetException {
        socket.exchange("add " + vlan + " to link " + index, VlanMessages.add(index, vlan));
    }

    public void addOwn(int bridgeIndex, int id) throws LinuxNetException {
        socket.exchange("add vlan " + id + " to bridge " + bridgeIndex, VlanMessages.addOwn(bridgeIndex, id));
    }

    public void delete(int index, int id) throws LinuxNetException {
        try {
            socket.exchange("delete vlan " + id + " from link " + index, VlanMessages.delete(index, id));
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    public List<PortVlan> list(int index) throws LinuxNetException {
        List<PortVlan> vlans = new ArrayList<>();
        for (NetlinkMessage message : socket.exchange("list vlans", VlanMessages.list())) {
            vlans.addAll(VlanMessages.read(message, index));
        }
        return vlans;
    }
}
