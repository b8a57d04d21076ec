package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The neighbour tables of an opened namespace, over its socket. */
public final class KernelNeighbourTables implements NeighbourTables {
    private final NetlinkSocket socket;

    /** Uses a socket that the caller closes. */
    public KernelNeighbourTables(NetlinkSocket socket) {
        this.socket = socket;
    }

    @Override
    public List<Neighbour> neighbours(int linkIndex) throws LinuxNetException {
        List<Neighbour> found = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            NetlinkRequest request = NeighbourMessages.listNeighbours(family, linkIndex);
            found.addAll(list(
                    "list neighbours of link " + linkIndex,
                    request,
                    message -> NeighbourMessages.readNeighbour(message, linkIndex)));
        }
        return found;
    }

    @Override
    public void setNeighbour(Neighbour neighbour) throws LinuxNetException {
        change("set " + neighbour, NeighbourMessages.set(neighbour));
    }

    @Override
    public void deleteNeighbour(Neighbour neighbour) throws LinuxNetException {
        change("delete " + neighbour, NeighbourMessages.delete(neighbour));
    }

    @Override
    public List<Forwarding> forwardings(int linkIndex) throws LinuxNetException {
        return list(
                "list forwarding entries of link " + linkIndex,
                NeighbourMessages.listForwardings(linkIndex),
                message -> NeighbourMessages.readForwarding(message, linkIndex));
    }

    @Override
    public void setForwarding(Forwarding forwarding) throws LinuxNetException {
        change("set " + forwarding, NeighbourMessages.set(forwarding));
    }

    @Override
    public void deleteForwarding(Forwarding forwarding) throws LinuxNetException {
        change("delete " + forwarding, NeighbourMessages.delete(forwarding));
    }

    /** Reads an entry of the wanted link from a message; null if the message is about another link. */
    private interface Reading<T> {
        @Nullable
        T of(NetlinkMessage message);
    }

    /** Lists the entries of a link. Newer kernels answer with an error if the link is gone. */
    private <T> List<T> list(String operation, NetlinkRequest request, Reading<T> reading) throws LinuxNetException {
        List<T> found = new ArrayList<>();
        try {
            for (NetlinkMessage message : socket.exchange(operation, request)) {
                T entry = reading.of(message);
                if (entry != null) {
                    found.add(entry);
                }
            }
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENODEV) {
                throw e;
            }
        }
        return found;
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        socket.exchange(operation, request);
    }
}
