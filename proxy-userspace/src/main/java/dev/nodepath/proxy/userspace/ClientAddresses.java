package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.ReasonLog;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.portals.ClientSources;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.PodBridge;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the relay's connections the addresses of clients ({@code --keep-client-address}) if the answers come back
 * through this node. Otherwise endpoints see the node's address, and the log tells the reason once. Called by the
 * syncing thread.
 */
final class ClientAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(ClientAddresses.class);

    private final IpFamily family;
    private final String nodeName;
    private final Host host;
    private final ClientSources sources;

    /** The network of the bridge at the last {@link #keep}. */
    private Optional<Cidr> bridge = Optional.empty();

    private boolean kept;
    private final ReasonLog<String> notKept;

    /** The bridge, or the problem that excludes keeping addresses; the problem is empty if there is none. */
    private record Look(Optional<Cidr> bridge, String problem) {}

    /** The client addresses of a family. */
    ClientAddresses(IpFamily family, String nodeName, Host host, NftTables nft, Conntrack conntrack) {
        this.family = family;
        this.nodeName = nodeName;
        this.host = host;
        this.sources = new ClientSources(nft, conntrack, family);
        this.notKept = new ReasonLog<>((clients, problem) -> LOG.atWarn()
                .addKeyValue("family", family)
                .addKeyValue("clients", clients)
                .addKeyValue("reason", problem)
                .log("portal.client_addresses_not_kept"));
    }

    /**
     * Whether pods are on the same bridge as at the last {@link #keep}: the bridge may come late, or change with its
     * ports.
     */
    boolean areAsBefore(ServiceSnapshot desired) {
        return look(desired).bridge.equals(bridge);
    }

    /** Gives the addresses from now on, and repairs the missing parts. */
    void keep(ServiceSnapshot desired) {
        String problem = keepAll();
        kept = problem.isEmpty();
        Look look = look(desired);
        bridge = look.bridge;
        SortedMap<String, String> problems = new TreeMap<>();
        problems.put("all", problem);
        problems.put("pods of this node, towards each other", kept ? look.problem : "");
        problems.values().removeIf(String::isEmpty);
        notKept.report(problems);
    }

    /** The clients whose addresses are kept now. */
    KeptClients clients(ServiceSnapshot desired, InternalClients inside) {
        NodeInfo node = desired.nodes().get(nodeName);
        if (!kept || node == null) {
            return KeptClients.NONE;
        }
        return KeptClients.of(
                        node, desired.nodes().values(), inside, bridge.stream().toList())
                .with(sources);
    }

    void end() throws LinuxNetException {
        sources.stop();
    }

    private String keepAll() {
        try {
            sources.start();
            return "";
        } catch (LinuxNetException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private Look look(ServiceSnapshot desired) {
        NodeInfo node = desired.nodes().get(nodeName);
        if (node == null) {
            return new Look(Optional.empty(), "");
        }
        try (NetworkNamespace namespace = host.open()) {
            return new Look(PodBridge.find(namespace, node.podCidrs(), family), "");
        } catch (LinuxNetException e) {
            return new Look(Optional.empty(), String.valueOf(e.getMessage()));
        }
    }
}
