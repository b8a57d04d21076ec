package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.OwnedChains;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services as relays in this process: portal rules lead their traffic to its sockets, and each connection or UDP flow is
 * passed on to an endpoint. What a snapshot holds that it does not serve (SCTP, an address that another Service has) is
 * named in the log once and left out.
 *
 * <p>Established connections outlive every sync. When the proxy ends they may go on for
 * {@link RelayConfig#drainTimeout}; a new process can take the portals over meanwhile.
 */
public final class UserspaceProxy implements ServiceProxy {
    /** The chains that this mode makes. */
    public static final OwnedChains CHAINS = new OwnedChains(PortalRules.CHAINS, Set.of());

    private static final Logger LOG = LoggerFactory.getLogger(UserspaceProxy.class);

    private final String nodeName;
    private final RelayConfig config;
    private final OriginalDestination originalDestination;
    private final List<Iptables> iptables;
    private final TrackedDatagrams.Opener conntrack;
    private final RelayMetrics metrics = new RelayMetrics();
    private final Map<Portal.Key, RelayService> services = new ConcurrentHashMap<>();
    private final List<FamilyPortals> families = new ArrayList<>();
    private SortedMap<ServicePortName, String> reported = new TreeMap<>();
    private PortalTable inForce = PortalTable.EMPTY;
    private @Nullable RelayServer relay;
    private @Nullable TrackedDatagrams tracked;
    private @Nullable Departures departures;
    private boolean closed;

    /**
     * A proxy that does nothing before its first sync.
     *
     * @param nodeName the Node it works for; its first InternalIP of a family is where this host's own traffic is led to
     * @param iptables the commands of one or both families, of the network namespace that the syncing thread is in
     */
    public UserspaceProxy(String nodeName, RelayConfig config, List<Iptables> iptables) {
        this(nodeName, checked(config), iptables, new ConntrackDestination(), new KernelLinuxNet()::conntrack);
    }

    /**
     * The same configuration, if rules can lead to it: the kernel drops what is translated to a loopback address and came in
     * over another link (a martian).
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
            TrackedDatagrams.Opener conntrack) {
        this.nodeName = nodeName;
        this.config = config;
        this.originalDestination = originalDestination;
        this.iptables = List.copyOf(iptables);
        this.conntrack = conntrack;
    }

    /**
     * Removes every rule of this mode, also those of a process that was killed and of kube-proxy's own userspace mode,
     * whose chains bear the same names.
     *
     * @throws IptablesException if that failed
     */
    public static void removeRules(Iptables iptables) throws IptablesException {
        FamilyPortals.applier(iptables).remove();
    }

    /**
     * Opens the listening sockets at the first call. Endpoints are in force first, then new service ports are known to
     * the relay, then rules lead to it; a service port that is gone is forgotten only after its rules are.
     */
    @Override
    public synchronized void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        if (closed) {
            throw new IllegalStateException("proxy is closed");
        }
        try {
            sync(openRelay(), desired, changed);
        } catch (IOException e) {
            throw new SyncException("userspace proxy: " + e.getMessage(), e);
        }
    }

    private void sync(RelayServer server, ServiceSnapshot desired, ChangeSet changed) throws IOException {
        SortedMap<ServicePortName, String> unserved = new TreeMap<>();
        Map<IpFamily, List<Portal>> plans = new EnumMap<>(IpFamily.class);
        List<Portal> all = new ArrayList<>();
        Predicate<IpAddress> inside = inside(desired);
        for (FamilyPortals family : families) {
            PortalPlan plan = PortalPlan.of(desired, nodeName, family.family());
            unserved.putAll(plan.unserved());
            plans.put(family.family(), plan.portals());
            all.addAll(plan.portals());
        }
        all.forEach(portal -> service(portal).update(portal, inside));
        PortalTable table = PortalTable.of(all, this::service);
        server.publish(inForce.overlaidWith(table));
        for (FamilyPortals family : families) {
            List<Portal> portals = plans.getOrDefault(family.family(), List.of());
            Optional<IpAddress> node = nodeAddress(desired, family.family());
            unserved.putAll(family.openSockets(portals, this::service));
            if (family.bringIntoForce(portals, node, changed.isEmpty())) {
                LOG.atWarn().addKeyValue("family", family.family()).log("rules.repaired");
            }
            family.closeOthers(portals);
        }
        server.publish(table);
        inForce = table;
        drainDeparted(desired);
        forgetServices(all);
        report(unserved);
    }

    /** What the relay has done so far. */
    public RelayMetrics metrics() {
        return metrics;
    }

    /** What each service port and endpoint has carried, for those that are served now. */
    public List<ServiceCounts> services() {
        return services.values().stream().map(RelayService::counts).toList();
    }

    /**
     * Removes the rules, which would lead to ports that nobody listens on, unless another process has put its own in
     * their place; then stops listening, and lets connections go on for as long as they may.
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
                LOG.atError().setCause(e).log("portal.rules_left_behind");
            }
        }
        server.drain(config.drainTimeout(), () -> families.forEach(FamilyPortals::closeSockets));
        if (tracked != null) {
            tracked.close();
        }
    }

    private RelayServer openRelay() throws IOException {
        RelayServer server = relay;
        if (server == null) {
            server = RelayServer.open(config, originalDestination, metrics);
            TrackedDatagrams datagrams = null;
            try {
                datagrams = new TrackedDatagrams(conntrack.open());
                listen(server, datagrams);
            } catch (IOException e) {
                server.close();
                families.clear();
                if (datagrams != null) {
                    datagrams.close();
                }
                throw e;
            }
            relay = server;
            tracked = datagrams;
            departures = config.drainRemovedEndpoints().isPresent()
                    ? new Departures(server, config.drainRemovedEndpoints().get())
                    : null;
        }
        return server;
    }

    /** A family that the kernel has tables for but no addresses is left out; without any there is no proxy. */
    private void listen(RelayServer server, TrackedDatagrams datagrams) throws IOException {
        Ports ports = new Ports(config.portRange(), new SplittableRandom());
        IOException failure = new IOException("bindAddress: " + config.bindAddress() + ": no family to listen in");
        for (Iptables commands : iptables) {
            Optional<IpAddress> address = config.bindAddress(commands.family());
            if (address.isEmpty()) {
                continue;
            }
            try {
                families.add(new FamilyPortals(commands, server, config, address.get(), ports, datagrams));
            } catch (IOException e) {
                failure = e;
                LOG.atWarn()
                        .addKeyValue("family", commands.family())
                        .addKeyValue("error", e.getMessage())
                        .log("portal.family_left_out");
            }
        }
        boolean first = !families.isEmpty()
                && families.get(0).family() == iptables.get(0).family();
        if (families.isEmpty() || (config.bindsAny() && !first)) {
            throw failure;
        }
    }

    private RelayService service(Portal portal) {
        return services.computeIfAbsent(
                portal.key(), key -> new RelayService(key, config.balancer(), System::nanoTime));
    }

    private Optional<IpAddress> nodeAddress(ServiceSnapshot snapshot, IpFamily family) {
        return Optional.ofNullable(snapshot.nodes().get(nodeName))
                .map(NodeInfo::addresses)
                .flatMap(addresses -> addresses.stream()
                        .filter(address -> address.family() == family)
                        .findFirst());
    }

    private Predicate<IpAddress> inside(ServiceSnapshot snapshot) {
        NodeInfo node = snapshot.nodes().get(nodeName);
        Set<IpAddress> own = node == null ? Set.of() : new HashSet<>(node.addresses());
        return client -> client.isLoopback()
                || own.contains(client)
                || config.clusterCidrs().stream().anyMatch(cidr -> cidr.contains(client));
    }

    private void drainDeparted(ServiceSnapshot snapshot) {
        Departures departed = departures;
        if (departed != null) {
            services.forEach((key, service) -> departed.look(service, existing(snapshot, key)));
        }
    }

    private static Set<InetSocketAddress> existing(ServiceSnapshot snapshot, Portal.Key key) {
        Set<InetSocketAddress> existing = new HashSet<>();
        snapshot.endpoints(key.name(), key.family())
                .forEach(endpoint ->
                        existing.add(new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port())));
        return existing;
    }

    private void forgetServices(List<Portal> portals) {
        Set<Portal.Key> served = new HashSet<>();
        portals.forEach(portal -> served.add(portal.key()));
        services.keySet().retainAll(served);
    }

    private void report(SortedMap<ServicePortName, String> unserved) {
        unserved.forEach((name, reason) -> {
            if (!reason.equals(reported.get(name))) {
                LOG.atWarn()
                        .addKeyValue("service_port", name)
                        .addKeyValue("reason", reason)
                        .log("portal.unsupported");
            }
        });
        reported = unserved;
    }
}
