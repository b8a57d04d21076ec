package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NetworkChange;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;

/** The neighbour tables of an opened namespace of the fake kernel. */
final class FakeNeighbourTables implements NeighbourTables {
    private final FakeHandle handle;
    private final FakeNamespace namespace;

    FakeNeighbourTables(FakeHandle handle, FakeNamespace namespace) {
        this.handle = handle;
        this.namespace = namespace;
    }

    @Override
    public List<Neighbour> neighbours(int linkIndex) throws LinuxNetException {
        return handle.perform(
                "neighbours", linkIndex, () -> namespace.neighbours().neighbours(linkIndex));
    }

    @Override
    public void setNeighbour(Neighbour neighbour) throws LinuxNetException {
        handle.change("setNeighbour", neighbour, () -> {
            namespace.neighbours().set(namespace, neighbour);
            announce(false, neighbour.linkIndex());
        });
    }

    @Override
    public void deleteNeighbour(Neighbour neighbour) throws LinuxNetException {
        handle.change("deleteNeighbour", neighbour, () -> {
            namespace.neighbours().delete(namespace, neighbour);
            announce(true, neighbour.linkIndex());
        });
    }

    @Override
    public List<Forwarding> forwardings(int linkIndex) throws LinuxNetException {
        return handle.perform(
                "forwardings", linkIndex, () -> namespace.neighbours().forwardings(linkIndex));
    }

    @Override
    public void setForwarding(Forwarding forwarding) throws LinuxNetException {
        handle.change("setForwarding", forwarding, () -> {
            namespace.neighbours().set(namespace, forwarding);
            announce(false, forwarding.linkIndex());
        });
    }

    @Override
    public void deleteForwarding(Forwarding forwarding) throws LinuxNetException {
        handle.change("deleteForwarding", forwarding, () -> {
            namespace.neighbours().delete(namespace, forwarding);
            announce(true, forwarding.linkIndex());
        });
    }

    private void announce(boolean removed, int linkIndex) {
        namespace.announce(new NetworkChange(NetworkChange.Kind.NEIGHBOUR, removed, linkIndex, 0));
    }
}
