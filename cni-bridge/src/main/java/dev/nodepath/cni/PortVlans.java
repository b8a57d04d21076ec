package dev.nodepath.cni;

import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Compares the VLANs of a bridge port with the wanted ones. */
final class PortVlans {
    private final NetworkNamespace host;
    private final Link port;
    private final Set<PortVlan> present;

    private PortVlans(NetworkNamespace host, Link port, List<PortVlan> present) {
        this.host = host;
        this.port = port;
        this.present = new HashSet<>(present);
    }

    /** Reads the VLANs of a port. */
    static PortVlans of(NetworkNamespace host, Link port) throws LinuxNetException {
        return new PortVlans(host, port, host.vlans(port.index()));
    }

    /** The lowest VLAN that is missing or has other flags. */
    Optional<Integer> missing(List<PortVlan> wanted) {
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
     * Puts the port into exactly these VLANs. It adds VLANs before it removes others, so the port always has a VLAN for
     * untagged frames.
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
