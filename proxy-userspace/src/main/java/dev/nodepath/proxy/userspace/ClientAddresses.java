package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptAnswers;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.PodBridge;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that answers to clients' addresses come back ({@code --keep-client-address}), and says whose do. Where they
 * do not, endpoints see the node's address, and the log says why once. Called by the syncing thread.
 */
final class ClientAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(ClientAddresses.class);

    private final IpFamily family;
    private final String nodeName;
    private final Host host;
    private final @Nullable KeptAnswers answers;

    /** The bridge that was there at the last {@link #keep}. */
    private Optional<PodBridge> bridge = Optional.empty();

    private boolean kept;
    private boolean lifted;
    private String loggedAll = "";
    private String loggedPods = "";

    /** Why it is not possible; empty if it is. */
    private record Look(Optional<PodBridge> bridge, String problem) {}

    /** Those of a family. */
    ClientAddresses(IpFamily family, String nodeName, Host host, Optional<NftTables> nft) {
        this.family = family;
        this.nodeName = nodeName;
        this.host = host;
        this.answers = nft.map(tables -> new KeptAnswers(tables, family)).orElse(null);
    }

    /** Whether pods are on the same bridge as at the last {@link #keep}: it may come late, or change with its ports. */
    boolean areAsBefore(ServiceSnapshot desired) {
        return look(desired).bridge.equals(bridge);
    }

    /** Keeps answers on this node from now on, and repairs what is missing for that. */
    void keep(ServiceSnapshot desired) {
        String problem = keepAll();
        kept = problem.isEmpty();
        loggedAll = warn("all", problem, loggedAll);
        Look look = look(desired);
        bridge = look.bridge;
        if (kept) {
            String unlifted = lift(look);
            lifted = unlifted.isEmpty();
            loggedPods = warn("pods of this node, towards each other", unlifted, loggedPods);
        }
    }

    /** Whose addresses are kept now. */
    KeptClients clients(ServiceSnapshot desired, InternalClients inside) {
        NodeInfo node = desired.nodes().get(nodeName);
        if (!kept || node == null) {
            return KeptClients.NONE;
        }
        Optional<PodBridge> used = lifted ? bridge : Optional.empty();
        return KeptClients.of(
                node,
                desired.nodes().values(),
                inside,
                used.map(PodBridge::network).stream().toList());
    }

    /** Lets answers with clients' addresses go. */
    void end() throws LinuxNetException {
        if (answers != null) {
            answers.stop();
        }
    }

    private String keepAll() {
        try {
            if (answers == null) {
                return "this kernel has no nf_tables";
            } else if (family == IpFamily.IPV4 && routesAnswersByMark()) {
                return "net.ipv4.conf.all.src_valid_mark is 1 (expected: 0)";
            }
            answers.start();
            return "";
        } catch (LinuxNetException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private String lift(Look look) {
        if (answers == null) {
            return "";
        }
        try {
            answers.lift(look.bridge);
            return look.problem;
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

    /** With this setting the kernel looks for the way back by the mark, finds this host, and drops the packet. */
    private boolean routesAnswersByMark() throws LinuxNetException {
        try (NetworkNamespace namespace = host.open()) {
            return namespace.sysctl("net/ipv4/conf/all/src_valid_mark").equals("1");
        }
    }

    /** Logs a problem unless it was the last one logged. */
    private String warn(String clients, String problem, String logged) {
        if (!problem.isEmpty() && !problem.equals(logged)) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("clients", clients)
                    .addKeyValue("reason", problem)
                    .log("portal.client_addresses_not_kept");
        }
        return problem;
    }
}
