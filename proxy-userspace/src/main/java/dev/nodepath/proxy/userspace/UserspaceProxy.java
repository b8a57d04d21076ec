package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.FamilySync;
import dev.nodepath.endpoints.sync.ReasonLog;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.OwnedChains;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.metrics.ServiceCounts;
import dev.nodepath.proxy.userspace.portals.ClientSources;
import dev.nodepath.proxy.userspace.portals.NodePortRules;
import dev.nodepath.proxy.userspace.portals.TablePortals;
import dev.nodepath.proxy.userspace.relay.ConntrackDestination;
import dev.nodepath.proxy.userspace.relay.LocalPorts;
import dev.nodepath.proxy.userspace.relay.OriginalDestination;
import dev.nodepath.proxy.userspace.relay.Ports;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayServer;
import dev.nodepath.proxy.userspace.relay.RelayServices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy of userspace mode. A table redirects the traffic of Services to the sockets of this process. The relay
 * forwards each connection or UDP flow to an endpoint. It does not serve SCTP, nor an address that another Service
 * owns. It logs each such service port once.
 *
 * <p>Established connections survive every sync. When the proxy ends, they may go on for
 * {@link RelayConfig#drainTimeout}; a new process can take the portals over meanwhile.
 */
public final class UserspaceProxy implements ServiceProxy {
    /** The chains of this mode, of earlier versions and of kube-proxy's userspace mode too. */
    public static final OwnedChains CHAINS = NodePortRules.OWNED;

    private static final Logger LOG = LoggerFactory.getLogger(UserspaceProxy.class);

    private final String nodeName;
    private final RelayConfig config;
    private final OriginalDestination originalDestination;
    private final List<Iptables> iptables;
    private final TrackedFlows.Opener conntrack;
    private final Host host;
    private final PortalTables tables;
    private final RelayMetrics metrics = new RelayMetrics();
    private final RelayServices services;
    private final List<FamilyPortals> families = new ArrayList<>();
    private final ReasonLog<ServicePortName> unserved = new ReasonLog<>((name, reason) -> LOG.atWarn()
            .addKeyValue("service_port", name)
            .addKeyValue("reason", reason)
            .log("portal.unsupported"));
    private @Nullable RelayServer relay;
    private @Nullable TrackedFlows tracked;

    /**
     * For look-ups of the relay. Look-ups need a socket of their own, because the other socket sometimes lists all
     * flows and blocks its users meanwhile.
     */
    private @Nullable Conntrack lookups;

    private @Nullable NftTables nft;
    private boolean closed;

    /**
     * Makes a proxy. It does nothing before its first sync.
     *
     * @param nodeName the name of the Node; this host's own traffic is redirected to the Node's first InternalIP of a
     *     family
     * @param iptables the commands of one or both families, of the network namespace that the syncing thread is in
     */
    public UserspaceProxy(String nodeName, RelayConfig config, List<Iptables> iptables) {
        this(
                nodeName,
                checked(config),
                iptables,
                new ConntrackDestination(),
                new KernelLinuxNet()::conntrack,
                new KernelLinuxNet()::current,
                new KernelLinuxNet()::nftTables);
    }

    /**
     * Checks that rules can redirect to the bind address. The kernel drops packets that are translated to a loopback
     * address and came in over another link (martians).
     *
     * @throws IllegalArgumentException if it listens on a loopback address
     */
    public static RelayConfig checked(RelayConfig config) {
        if (config.bindAddress().isLoopback()) {
            throw new IllegalArgumentException(
                    "bindAddress: " + config.bindAddress() + " (expected: not a loopback address)");
        }
        return config;
    }

    UserspaceProxy(
            String nodeName,
            RelayConfig config,
            List<Iptables> iptables,
            OriginalDestination originalDestination,
            TrackedFlows.Opener conntrack,
            Host host,
            PortalTables tables) {
        this.nodeName = nodeName;
        this.config = config;
        this.services = new RelayServices(config.balancer(), config.policy());
        this.originalDestination = originalDestination;
        this.iptables = List.copyOf(iptables);
        this.conntrack = conntrack;
        this.host = host;
        this.tables = tables;
    }

    /**
     * Removes every rule of this mode: also those of a killed process, of earlier versions, and of kube-proxy's own
     * userspace mode, whose chains have the same names.
     *
     * @throws IptablesException if that failed
     */
    public static void removeRules(Iptables iptables) throws IptablesException {
        // The tables first: while chains are left, iptables mode sees that there is something to remove.
        try {
            removeTables(iptables.family());
        } catch (LinuxNetException e) {
            throw new IptablesException(String.valueOf(e.getMessage()), e);
        } finally {
            new RuleApplier(iptables, CHAINS).remove();
        }
    }

    /**
     * Removes this mode's nf_tables tables, whatever iptables has: a killed process leaves them, and other programs
     * may have removed its chains. Later connections of a draining process have the node's address as source.
     *
     * @throws LinuxNetException if that failed
     */
    public static void removeTables(IpFamily family) throws LinuxNetException {
        try (NftTables nft = new KernelLinuxNet().nftTables()) {
            TablePortals.removeTable(nft, family);
            ClientSources.removeTable(nft, family);
        }
    }

    /**
     * Checks that the kernel takes the table of portals of the first family that is served. A sync checks each.
     *
     * @throws IOException if it does not; the message names what it lacks, and iptables mode
     */
    public void checkKernel() throws IOException {
        Optional<IpFamily> first = iptables.stream()
                .map(Iptables::family)
                .filter(family -> config.bindAddress(family).isPresent())
                .findFirst();
        if (first.isPresent()) {
            try (NftTables kernel = tables.open()) {
                TablePortals.require(kernel, first.get());
            }
        }
    }

    /**
     * Opens the listening sockets at the first call, then applies the snapshot to both families. If one family fails,
     * the other is still applied.
     *
     * @throws SyncException if a family failed; it names the families in force
     */
    @Override
    public synchronized void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        if (closed) {
            throw new IllegalStateException("proxy is closed");
        }
        try {
            openRelay();
        } catch (IOException e) {
            throw new SyncException("userspace proxy: " + e.getMessage(), e);
        }
        if (relay != null && !relay.isWhole()) {
            // The caller opens another proxy. Failed syncs also make the health port report a failure.
            IOException ended = new RelayBrokenException(
                    "an event loop has ended (expected: event loops run as" + " long as the process)");
            throw new SyncException("userspace proxy: " + ended.getMessage(), ended);
        }
        try {
            FamilySync.each(families, FamilyPortals::family, "portals", family -> family.sync(desired, changed));
        } finally {
            report();
        }
    }

    @Override
    public long fullSyncs(IpFamily family) {
        return families.stream()
                .filter(served -> served.family() == family)
                .mapToLong(FamilyPortals::fullSyncs)
                .sum();
    }

    /** The counters of the relay. */
    public RelayMetrics metrics() {
        return metrics;
    }

    /** The traffic of each service port that is served now, and of its endpoints. */
    public List<ServiceCounts> services() {
        return services.counts();
    }

    /**
     * Whether another live process has taken over the portals of a family.
     *
     * @throws IOException if that cannot be read from the kernel
     */
    public synchronized boolean isTakenOver() throws IOException {
        for (FamilyPortals family : families) {
            if (family.isTakenOver()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Removes the rules, unless another process has replaced them with its own. Then stops listening, and lets
     * connections go on for the drain time.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        RelayServer server = relay;
        if (server == null) {
            return;
        }
        for (FamilyPortals family : families) {
            try {
                if (family.removeRules()) {
                    LOG.atInfo().addKeyValue("family", family.family()).log("portal.taken_over");
                }
            } catch (IOException e) {
                LOG.atError().setCause(e).log("portal.rules_not_removed");
            }
        }
        if (server.drain(config.drainTimeout(), () -> families.forEach(FamilyPortals::closeSockets))) {
            families.forEach(FamilyPortals::forgetReset);
        }
        for (FamilyPortals family : families) {
            try {
                family.endAddresses();
            } catch (IOException e) {
                LOG.atError().setCause(e).log("portal.clients_not_removed");
            }
        }
        if (tracked != null) {
            tracked.close();
        }
        if (lookups != null) {
            lookups.close();
        }
        if (nft != null) {
            nft.close();
        }
    }

    private void openRelay() throws IOException {
        if (relay != null) {
            return;
        }
        RelayServer server = RelayServer.open(config, originalDestination, metrics);
        TrackedFlows flows = null;
        Conntrack single = null;
        NftTables kernel = null;
        try (NetworkNamespace namespace = host.open()) {
            flows = new TrackedFlows(conntrack.open());
            single = conntrack.open();
            kernel = tables.open();
            listen(server, flows, single, kernel);
            LocalPorts.reuse(namespace);
        } catch (IOException e) {
            server.close();
            families.clear();
            if (flows != null) {
                flows.close();
            }
            if (single != null) {
                single.close();
            }
            if (kernel != null) {
                kernel.close();
            }
            throw e;
        }
        relay = server;
        tracked = flows;
        lookups = single;
        nft = kernel;
    }

    /** Leaves out a family that has tables but no addresses. At least one family must remain. */
    private void listen(RelayServer server, TrackedFlows flows, Conntrack single, NftTables kernel) throws IOException {
        Ports ports = new Ports(config.portRange(), new SplittableRandom());
        RemovedEndpoints removedEndpoints = config.drainRemovedEndpoints()
                .map(patience -> new RemovedEndpoints(server, patience))
                .orElse(null);
        IOException failure = new IOException("bindAddress: " + config.bindAddress() + ": no family to listen in");
        for (Iptables commands : iptables) {
            Optional<IpAddress> address = config.bindAddress(commands.family());
            if (address.isEmpty()) {
                continue;
            }
            try {
                families.add(new FamilyPortals(
                        commands,
                        nodeName,
                        config,
                        server,
                        services,
                        address.get(),
                        ports,
                        flows,
                        removedEndpoints,
                        host,
                        kernel,
                        single));
            } catch (IOException e) {
                failure = e;
                LOG.atWarn()
                        .addKeyValue("family", commands.family())
                        .addKeyValue("error", e.getMessage())
                        .log("portal.family_skipped");
            }
        }
        boolean first = !families.isEmpty()
                && families.get(0).family() == iptables.get(0).family();
        if (families.isEmpty() || (config.bindsAny() && !first)) {
            throw failure;
        }
    }

    private void report() {
        SortedMap<ServicePortName, String> reasons = new TreeMap<>();
        families.forEach(family -> reasons.putAll(family.unserved()));
        unserved.report(reasons);
    }
}
