package dev.nodepath.linux.link;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;

/** The addresses of an opened namespace, over its socket. {@code NetworkNamespace} documents the methods. */
public final class KernelAddresses {
    private final NetlinkSocket socket;

    /** Uses a socket that the caller closes. */
    public KernelAddresses(NetlinkSocket socket) {
        this.socket = socket;
    }

    public List<InterfaceAddress> list() throws LinuxNetException {
        return list("list addresses", 0);
    }

    public List<InterfaceAddress> list(int index) throws LinuxNetException {
        return list("list addresses of link " + index, index);
    }

    /** The kernel leaves out other links' addresses, since 4.20; an older one lists them too. */
    private List<InterfaceAddress> list(String operation, int index) throws LinuxNetException {
        List<InterfaceAddress> addresses = new ArrayList<>();
        for (NetlinkMessage message : socket.exchange(operation, AddressMessages.list(index))) {
            InterfaceAddress address = AddressMessages.read(message);
            if (address != null && (index == 0 || address.linkIndex() == index)) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    public void add(int index, Cidr address, AddressOptions options) throws LinuxNetException {
        change("add address " + address + " to link " + index, AddressMessages.add(index, address, options));
    }

    public void delete(int index, Cidr address) throws LinuxNetException {
        change("delete address " + address + " from link " + index, AddressMessages.delete(index, address));
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        socket.exchange(operation, request);
    }
}
