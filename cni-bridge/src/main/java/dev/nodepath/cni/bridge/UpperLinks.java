package dev.nodepath.cni.bridge;

import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;

/** The node's links that stand on a bridge, such as VLAN and macvlan links. All that the bridge hears may reach them. */
public final class UpperLinks {
    private UpperLinks() {}

    /** Whether a link stands on a bridge. The number that a veth has there is that of its other end, in any namespace. */
    static boolean standsOn(Link link, Link bridge) {
        return !link.kind().equals("veth") && link.peerIndex() == bridge.index();
    }

    /** Those that hear what a container with such a port sends. */
    public static List<Link> heardFrom(NetworkNamespace host, Link bridge, NetworkConfig.VlanConfig port)
            throws LinuxNetException {
        List<Link> hearing = new ArrayList<>();
        for (Link link : host.links()) {
            if (standsOn(link, bridge) && !isKeptApart(link, bridge, port)) {
                hearing.add(link);
            }
        }
        return hearing;
    }

    /** Whether the bridge passes nothing from the port to a link of another VLAN, which its name BRIDGE.VLAN tells. */
    private static boolean isKeptApart(Link link, Link bridge, NetworkConfig.VlanConfig port) {
        String prefix = bridge.name() + ".";
        if (!bridge.vlanFiltering()
                || !link.kind().equals("vlan")
                || !link.name().startsWith(prefix)) {
            return false;
        }
        try {
            int vlan = Integer.parseInt(link.name().substring(prefix.length()));
            return port.ofPort().stream().noneMatch(range -> range.first() <= vlan && vlan <= range.last());
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
