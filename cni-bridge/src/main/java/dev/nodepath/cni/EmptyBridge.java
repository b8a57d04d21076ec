package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.config.RemovalConfigParser;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Removes the bridge of a network without containers. */
final class EmptyBridge {
    private static final Cidr LINK_LOCAL_IPV6 = Cidr.parse("fe80::/10");

    private final NetworkNamespace host;
    private final String name;

    EmptyBridge(NetworkNamespace host, String name) {
        this.host = host;
        this.name = name;
    }

    /**
     * Removes the bridge after a DEL or GC, if the configuration has {@code prune} and no address of the network is in
     * use.
     *
     * <p>It holds the lock of the network's addresses. An ADD takes its address before it looks for the bridge, so its
     * bridge stays. An ADD with another IPAM plugin, or without one, does not take this lock. If its bridge is removed
     * meanwhile it fails, and the runtime repeats it.
     */
    static void prune(NetworkNamespace host, HostLocalIpam addresses, Call call) throws IOException {
        NetworkConfig config = call.config();
        if (config.bridge().prune()) {
            Path dataDir = RemovalConfigParser.dataDir(call.json(), call.dataDirDefault());
            addresses.withTaken(dataDir, config.name(), taken -> {
                if (taken.isEmpty()) {
                    new EmptyBridge(host, config.bridge().name()).remove();
                }
                return taken.isEmpty();
            });
        }
    }

    /**
     * Removes the bridge and its gateways if this plugin made it and it is unused. A port, an upper link, and an
     * address added by others are uses.
     */
    void remove() throws LinuxNetException {
        Optional<Link> bridge =
                host.link(name).filter(link -> link.kind().equals("bridge")).filter(NodeBridge::isMadeHere);
        if (bridge.isEmpty() || hasForeignAddress(bridge.get())) {
            return;
        }
        List<Link> links = host.links();
        List<Link> removed = new ArrayList<>();
        removed.add(bridge.get());
        for (Link link : links) {
            if (link.masterIndex() == bridge.get().index()) {
                Optional<Link> gateway = gatewayOfVlan(link, links);
                if (gateway.isEmpty() || hasForeignAddress(gateway.get())) {
                    return;
                }
                removed.add(link);
            } else if (UpperLinks.standsOn(link, bridge.get())) {
                return;
            }
        }
        for (Link link : removed) {
            LinkRemoval.immediate().remove(host, link.index());
        }
    }

    private boolean hasForeignAddress(Link carrier) throws LinuxNetException {
        for (InterfaceAddress has : host.addresses(carrier.index())) {
            if (!Gateway.isMadeHere(carrier, has)
                    && !LINK_LOCAL_IPV6.contains(has.address().address())) {
                return true;
            }
        }
        return false;
    }

    /** The near end of a pair that {@link VlanGateway} makes, if the port is its far end. */
    private Optional<Link> gatewayOfVlan(Link port, List<Link> links) {
        return links.stream()
                .filter(near -> port.kind().equals("veth")
                        && near.index() == port.peerIndex()
                        && near.peerIndex() == port.index()
                        && near.name().startsWith(name + "."))
                .findFirst();
    }
}
