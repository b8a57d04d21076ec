package dev.nodepath.linux;

import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.syscall.Errno;
import java.util.ArrayList;
import java.util.List;

/** The permanent neighbours and forwarding entries of one namespace of the fake kernel. */
final class FakeNeighbours {
    private final List<Neighbour> neighbours = new ArrayList<>();
    private final List<Forwarding> forwardings = new ArrayList<>();

    List<Neighbour> neighbours(int linkIndex) {
        return neighbours.stream().filter(each -> each.linkIndex() == linkIndex).toList();
    }

    List<Forwarding> forwardings(int linkIndex) {
        return forwardings.stream()
                .filter(each -> each.linkIndex() == linkIndex)
                .toList();
    }

    void set(FakeNamespace namespace, Neighbour neighbour) throws FakeRefusal {
        FakeLink link = namespace.device(neighbour.linkIndex());
        neighbours.removeIf(each -> isAt(each, neighbour));
        neighbours.add(new Neighbour(link.index, neighbour.address(), neighbour.mac()));
    }

    void delete(FakeNamespace namespace, Neighbour neighbour) throws FakeRefusal {
        FakeLink link = namespace.device(neighbour.linkIndex());
        if (!neighbours.removeIf(each -> each.linkIndex() == link.index && isAt(each, neighbour))) {
            throw new FakeRefusal(Errno.ENOENT);
        }
    }

    void set(FakeNamespace namespace, Forwarding forwarding) throws FakeRefusal {
        FakeLink link = namespace.device(forwarding.linkIndex());
        forwardings.removeIf(
                each -> each.linkIndex() == link.index && each.mac().equals(forwarding.mac()));
        forwardings.add(forwarding);
    }

    void delete(FakeNamespace namespace, Forwarding forwarding) throws FakeRefusal {
        FakeLink link = namespace.device(forwarding.linkIndex());
        if (!forwardings.removeIf(each -> each.linkIndex() == link.index && each.equals(forwarding))) {
            throw new FakeRefusal(Errno.ENOENT);
        }
    }

    /** Forwarding entries outlive a link's being down, neighbours do not. */
    void linkDown(FakeLink link) {
        neighbours.removeIf(each -> each.linkIndex() == link.index);
    }

    void linkGone(FakeLink link) {
        linkDown(link);
        forwardings.removeIf(each -> each.linkIndex() == link.index);
    }

    private static boolean isAt(Neighbour has, Neighbour wanted) {
        return has.linkIndex() == wanted.linkIndex() && has.address().equals(wanted.address());
    }
}
