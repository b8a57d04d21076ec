package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.OwnedChains;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleSet;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services as relays in this process: portal rules lead their traffic to one listening socket, and each connection is
 * passed on to an endpoint. Serves TCP over IPv4; what else a snapshot holds is named in the log once and left out.
 *
 * <p>Established connections outlive every sync. They do not outlive the process, nor {@link #close}.
 */
public final class UserspaceProxy implements ServiceProxy {
    /** The chains that this mode makes. */
    public static final OwnedChains CHAINS = new OwnedChains(PortalRules.CHAINS, Set.of());

    private static final Logger LOG = LoggerFactory.getLogger(UserspaceProxy.class);

    private final String nodeName;
    private final RelayConfig config;
    private final OriginalDestination originalDestination;
    private final RuleApplier rules;
    private final RelayMetrics metrics = new RelayMetrics();
    private final Map<Portal.Key, RoundRobinBalancer> balancers = new HashMap<>();
    private SortedMap<ServicePortName, String> reported = new TreeMap<>();
    private SortedMap<String, String> refusedBefore = new TreeMap<>();
    private PortalTable inForce = PortalTable.EMPTY;
    private @Nullable RelayServer relay;
    private boolean closed;

    /**
     * A proxy that does nothing before its first sync.
     *
     * @param nodeName the Node it works for; its first IPv4 InternalIP is where this host's own traffic is led to
     * @param iptables the IPv4 commands of the network namespace that the syncing thread is in
     */
    public UserspaceProxy(String nodeName, RelayConfig config, Iptables iptables) {
        this(nodeName, config, iptables, new ConntrackDestination());
        if (config.bindAddress().isLoopback()) {
            // Traffic from other links cannot be translated to a loopback address: the kernel drops it as martian.
            throw new IllegalArgumentException(
                    "bindAddress: " + config.bindAddress() + " (expected: not a loopback address)");
        }
    }

    UserspaceProxy(String nodeName, RelayConfig config, Iptables iptables, OriginalDestination originalDestination) {
        if (iptables.family() != IpFamily.IPV4) {
            throw new IllegalArgumentException("iptables: " + iptables.family() + " (expected: IPv4)");
        }
        this.nodeName = nodeName;
        this.config = config;
        this.originalDestination = originalDestination;
        this.rules = applier(iptables);
    }

    /**
     * Removes every rule of this mode, also those of a process that was killed and of kube-proxy's own userspace mode,
     * whose chains bear the same names.
     *
     * @throws IptablesException if that failed
     */
    public static void removeRules(Iptables iptables) throws IptablesException {
        applier(iptables).remove();
    }

    private static RuleApplier applier(Iptables iptables) {
        return new RuleApplier(iptables, CHAINS);
    }

    /**
     * Opens the listening socket at the first call. Endpoints are in force first, then new service ports are known to
     * the relay, then rules lead to it; a service port that is gone is forgotten only after its rules are.
     */
    @Override
    public synchronized void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        if (closed) {
            throw new IllegalStateException("proxy is closed");
        }
        PortalPlan plan = PortalPlan.of(desired, nodeName);
        try {
            RelayServer server = openRelay();
            plan.portals().forEach(portal -> balancer(portal.key()).update(portal.endpoints()));
            PortalTable table = PortalTable.of(plan, this::balancer);
            server.publish(inForce.overlaidWith(table));
            bringIntoForce(PortalRules.of(plan, address(desired, server.port())), changed.isEmpty());
            server.publish(table);
            inForce = table;
        } catch (IOException e) {
            throw new SyncException("userspace proxy: " + e.getMessage(), e);
        }
        forgetBalancers(plan);
        report(plan.unserved());
    }

    /** If nothing has changed it looks at what is in force, and mends what others have removed. */
    private void bringIntoForce(RuleSet desired, boolean unchanged) throws IptablesException {
        if (!unchanged) {
            rules.apply(desired);
        } else if (rules.repair(desired)) {
            LOG.atWarn().log("rules.repaired");
        }
        SortedMap<String, String> refused = rules.refused();
        refused.forEach((portal, reason) -> {
            if (!refusedBefore.containsKey(portal)) {
                LOG.atError()
                        .addKeyValue("service_port", portal)
                        .addKeyValue("error", reason)
                        .log("rules.service_refused");
            }
        });
        refusedBefore = refused;
    }

    /** What the relay has done so far. */
    public RelayMetrics metrics() {
        return metrics;
    }

    /**
     * Removes the rules, which would lead to a port that nobody listens on, then stops listening and breaks off every
     * connection.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (relay == null) {
            return;
        }
        try {
            rules.remove();
        } catch (IptablesException e) {
            LOG.atError().setCause(e).log("portal.rules_left_behind");
        }
        relay.close();
    }

    private RelayServer openRelay() throws IOException {
        RelayServer server = relay;
        if (server == null) {
            server = RelayServer.open(config, originalDestination, metrics);
            relay = server;
        }
        return server;
    }

    private RoundRobinBalancer balancer(Portal.Key key) {
        return balancers.computeIfAbsent(key, unused -> new RoundRobinBalancer());
    }

    private ProxyAddress address(ServiceSnapshot snapshot, int port) {
        Optional<IpAddress> node = Optional.ofNullable(snapshot.nodes().get(nodeName))
                .map(NodeInfo::addresses)
                .flatMap(addresses -> addresses.stream()
                        .filter(address -> address.family() == IpFamily.IPV4)
                        .findFirst());
        return new ProxyAddress(config.bindsAny() ? Optional.empty() : Optional.of(config.bindAddress()), node, port);
    }

    private void forgetBalancers(PortalPlan plan) {
        Set<Portal.Key> served = new HashSet<>();
        plan.portals().forEach(portal -> served.add(portal.key()));
        balancers.keySet().retainAll(served);
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
