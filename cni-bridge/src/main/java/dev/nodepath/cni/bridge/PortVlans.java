package dev.nodepath.cni.bridge;

import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The VLANs of a port of the bridge, compared with those that it has to have. */
public final class PortVlans {
    private final NetworkNamespace host;
    private final Link port;
    private final Set<PortVlan> present;

    private PortVlans(NetworkNamespace host, Link port, List<PortVlan> present) {
        this.host = host;
        this.port = port;
        this.present = new HashSet<>(present);
    }

    /** As they are now. */
    public static PortVlans of(NetworkNamespace host, Link port) throws LinuxNetException {
        return new PortVlans(host, port, host.vlans(port.index()));
    }

    /** The lowest VLAN that the port lacks, or has in another way. */
    public Optional<Integer> missing(List<PortVlan> wanted) {
        return wanted.stream().flatMap(vlan -> missing(vlan).stream()).min(Integer::compare);
    }

    private Optional<Integer> missing(PortVlan wanted) {
        for (int id = wanted.first(); id <= wanted.last(); id++) {
            if (!present.contains(new PortVlan(id, id, wanted.pvid(), wanted.untagged()))) {
                return Optional.of(id);
            }
        }
        return Optional.empty();
    }

    /**
     * Puts the port into these VLANs and no others, whatever it was in. What it gets comes first: a port is never without the VLAN
     * of its untagged frames.
     */
    void change(List<PortVlan> wanted) throws LinuxNetException {
        for (PortVlan vlan : wanted) {
            if (missing(vlan).isPresent()) {
                host.addVlan(port.index(), vlan);
            }
        }
        for (PortVlan has : present) {
            if (wanted.stream().noneMatch(vlan -> vlan.first() <= has.first() && has.first() <= vlan.last())) {
                host.deleteVlan(port.index(), has.first());
            }
        }
    }
}
