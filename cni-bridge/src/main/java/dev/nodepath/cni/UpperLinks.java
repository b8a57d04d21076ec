package dev.nodepath.cni;

import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.linux.link.Link;
import java.util.ArrayList;
import java.util.List;

/** The node's upper links of a bridge, such as VLAN and macvlan links. They may receive all frames of the bridge. */
final class UpperLinks {
    private UpperLinks() {}

    /**
     * Whether a link is an upper link of a bridge. A veth's lower index is its peer's, in any namespace, so veths never
     * count.
     */
    static boolean standsOn(Link link, Link bridge) {
        return !link.kind().equals("veth") && link.peerIndex() == bridge.index();
    }

    /** The upper links, among these of the node, that receive frames from a container with these VLANs. */
    static List<Link> heardFrom(List<Link> links, Link bridge, NetworkConfig.VlanConfig port) {
        List<Link> hearing = new ArrayList<>();
        for (Link link : links) {
            if (standsOn(link, bridge) && !isKeptApart(link, bridge, port)) {
                hearing.add(link);
            }
        }
        return hearing;
    }

    /** Whether the bridge keeps the port's frames from a link of another VLAN, given by its name BRIDGE.VLAN. */
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
