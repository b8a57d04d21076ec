package dev.nodepath.cni;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.InterfaceAddress;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The bridge of a network that may have no container any more. */
final class EmptyBridge {
    private static final Cidr LINK_LOCAL_IPV6 = Cidr.parse("fe80::/10");

    private final NetworkNamespace host;
    private final String name;

    EmptyBridge(NetworkNamespace host, String name) {
        this.host = host;
        this.name = name;
    }

    /**
     * Removes the bridge of a call that has taken away, if the configuration asks for it ({@code prune}).
     *
     * <p>While nobody takes an address, and only if nobody has one: an ADD takes its addresses before it looks for the bridge.
     * One with addresses from elsewhere finds at its end that its bridge is gone, and is made again.
     */
    static void prune(LinuxNet net, HostLocalIpam addresses, Call call) throws IOException {
        NetworkConfig config = call.config();
        if (config.bridge().prune()) {
            Path dataDir = RemovalConfigParser.dataDir(call.json(), call.dataDirDefault());
            boolean unused = addresses.withTaken(dataDir, config.name(), taken -> {
                if (taken.isEmpty()) {
                    try (NetworkNamespace host = net.current()) {
                        new EmptyBridge(host, config.bridge().name()).remove();
                    }
                }
                return taken.isEmpty();
            });
        }
    }

    /** Removes it, with its gateways, if it was made here and nobody uses it: no port, no VLAN of its name, no address of a person's. */
    void remove() throws LinuxNetException {
        Optional<Link> bridge =
                host.link(name).filter(link -> link.kind().equals("bridge")).filter(NodeBridge::isMadeHere);
        if (bridge.isEmpty() || hasForeignAddress(bridge.get())) {
            return;
        }
        List<Link> links = host.links();
        List<Link> doomed = new ArrayList<>();
        doomed.add(bridge.get());
        for (Link link : links) {
            if (link.masterIndex() == bridge.get().index()) {
                if (!isGatewayOfVlan(link, links)) {
                    return;
                }
                doomed.add(link);
            } else if (link.kind().equals("vlan") && link.name().startsWith(name + ".")) {
                return;
            }
        }
        for (Link link : doomed) {
            LinkRemoval.immediate().remove(host, link.index());
        }
    }

    private boolean hasForeignAddress(Link bridge) throws LinuxNetException {
        for (InterfaceAddress has : host.addresses(bridge.index())) {
            if (!Gateway.isMadeHere(bridge, has)
                    && !LINK_LOCAL_IPV6.contains(has.address().address())) {
                return true;
            }
        }
        return false;
    }

    /** The far end of what {@link VlanGateway} makes. */
    private boolean isGatewayOfVlan(Link port, List<Link> links) {
        return port.kind().equals("veth")
                && links.stream()
                        .anyMatch(near -> near.index() == port.peerIndex()
                                && near.peerIndex() == port.index()
                                && near.name().startsWith(name + "."));
    }
}
