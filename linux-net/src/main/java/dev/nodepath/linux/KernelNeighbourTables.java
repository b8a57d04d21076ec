package dev.nodepath.linux;

import java.util.ArrayList;
import java.util.List;

/** The neighbour tables of an opened namespace, over its socket. */
final class KernelNeighbourTables implements NeighbourTables {
    private final NetlinkSocket socket;

    KernelNeighbourTables(NetlinkSocket socket) {
        this.socket = socket;
    }

    @Override
    public List<Neighbour> neighbours(int linkIndex) throws LinuxNetException {
        List<Neighbour> found = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            NetlinkRequest request = NeighbourMessages.listNeighbours(family, linkIndex);
            for (NetlinkMessage message : list("list neighbours of link " + linkIndex, request)) {
                Neighbour neighbour = NeighbourMessages.readNeighbour(message, linkIndex);
                if (neighbour != null) {
                    found.add(neighbour);
                }
            }
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
        List<Forwarding> found = new ArrayList<>();
        NetlinkRequest request = NeighbourMessages.listForwardings(linkIndex);
        for (NetlinkMessage message : list("list forwarding entries of link " + linkIndex, request)) {
            Forwarding forwarding = NeighbourMessages.readForwarding(message, linkIndex);
            if (forwarding != null) {
                found.add(forwarding);
            }
        }
        return found;
    }

    @Override
    public void setForwarding(Forwarding forwarding) throws LinuxNetException {
        change("set " + forwarding, NeighbourMessages.set(forwarding));
    }

    @Override
    public void deleteForwarding(Forwarding forwarding) throws LinuxNetException {
        change("delete " + forwarding, NeighbourMessages.delete(forwarding));
    }

    /** Where it matters which link is asked for, newer kernels refuse one that is gone. */
    private List<NetlinkMessage> list(String operation, NetlinkRequest request) throws LinuxNetException {
        try {
            return socket.exchange(operation, request);
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENODEV) {
                return List.of();
            }
            throw e;
        }
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        List<NetlinkMessage> unused = socket.exchange(operation, request);
    }
}
