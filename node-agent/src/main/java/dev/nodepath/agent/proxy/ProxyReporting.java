package dev.nodepath.agent.proxy;

import dev.nodepath.agent.health.ProxyHealth;
import dev.nodepath.agent.health.ServiceHealthPorts;
import dev.nodepath.agent.http.HttpPorts;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.ConntrackMetrics;
import dev.nodepath.agent.metrics.HealthMetrics;
import dev.nodepath.agent.metrics.RuleMetrics;
import dev.nodepath.agent.metrics.SyncDurations;
import dev.nodepath.agent.metrics.SyncMetrics;
import dev.nodepath.agent.metrics.TableMetrics;
import dev.nodepath.agent.metrics.UserspaceMetrics;
import dev.nodepath.agent.options.ProxySettings;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.conntrack.ConntrackCleanerListener;
import dev.nodepath.endpoints.sync.BypassCleaner;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.command.IptablesCommand;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.iptables.ConnectionListing;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.nftables.NftablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A running proxy's reports: metrics and health, and the health check node ports of its Services. */
public final class ProxyReporting implements AutoCloseable {
    private final ProxySettings settings;
    private final Supplier<ServiceSnapshot> snapshot;
    private final SyncLoop loop;
    private final @Nullable IptablesProxy rules;
    private final @Nullable NftablesProxy tables;
    private final HttpPorts http = new HttpPorts();
    private final ProxyHealth health;
    private final ServiceHealthPorts healthPorts;
    private final HealthMetrics healthMetrics;
    private final SyncMetrics syncMetrics;
    private final ConntrackMetrics conntrackMetrics;
    private final Optional<ConnectionMetrics> connections;

    /** Over a socket of its own, as it does not work on the syncing thread. Empty unless the tables count. */
    private final Optional<NftTables> counted;

    /**
     * Serves nothing yet.
     *
     * @param snapshot the newest snapshot of the watcher
     * @param registry gets the proxy's metrics
     */
    ProxyReporting(
            ProxySettings settings,
            Supplier<ServiceSnapshot> snapshot,
            SyncLoop loop,
            ServiceProxy proxy,
            ServedFamilies served,
            KernelLinuxNet net,
            NetworkNamespace namespace,
            PrometheusRegistry registry)
            throws LinuxNetException {
        this.settings = settings;
        this.snapshot = snapshot;
        this.loop = loop;
        this.rules = proxy instanceof IptablesProxy writer ? writer : null;
        this.tables = proxy instanceof NftablesProxy writer ? writer : null;
        List<IpFamily> families = served.families();
        Duration period =
                settings.policy().syncPeriod().orElse(settings.policy().retryMax());
        Clock clock = Clock.systemUTC();
        health = new ProxyHealth(clock, period.multipliedBy(2), families, new Progress());
        healthPorts = new ServiceHealthPorts(
                http,
                health,
                settings.node(),
                new HealthPortAddresses(namespace, settings.nodePortAddresses(), families, settings.node()));

        healthMetrics = new HealthMetrics(registry);
        conntrackMetrics = new ConntrackMetrics(registry, families);
        syncMetrics = new SyncMetrics(
                registry,
                clock,
                families,
                settings.node(),
                loop::stats,
                this::lastSync,
                durations(proxy, families, registry));
        if (proxy instanceof UserspaceProxy relay) {
            UserspaceMetrics.register(registry, relay.metrics(), relay::services);
        }
        counted = tables != null && settings.tables().countsConnections()
                ? Optional.of(net.nftTables())
                : Optional.empty();
        connections =
                counters(served).map(counters -> new ConnectionMetrics(snapshot, families, counters, System::nanoTime));
    }

    /** Rules of iptables mode always count, those of nftables mode only if asked to. */
    private Optional<ConnectionMetrics.Counters> counters(ServedFamilies served) {
        if (tables != null) {
            return counted.map(own -> (cluster, family) -> NftablesProxy.connections(own, cluster, family));
        }
        if (rules == null) {
            return Optional.empty();
        }
        List<IptablesCommand> counting = served.iptables().stream()
                .map(IptablesCommand::forAnotherThread)
                .toList();
        return Optional.of((cluster, family) -> ConnectionListing.read(
                cluster, family, counting.get(served.families().indexOf(family)).saveWithCounters(Table.NAT)));
    }

    private static Optional<SyncDurations> durations(
            ServiceProxy proxy, List<IpFamily> families, PrometheusRegistry registry) {
        if (proxy instanceof IptablesProxy writer) {
            return Optional.of(new RuleMetrics(registry, families, writer::stats, writer::packets).durations());
        }
        return proxy instanceof NftablesProxy writer
                ? Optional.of(new TableMetrics(registry, families, writer::stats).durations())
                : Optional.empty();
    }

    /** The listeners of syncs. */
    List<SyncListener> listeners() {
        return List.of(syncMetrics, healthPorts);
    }

    /** Counts removed flows. */
    ConntrackCleanerListener conntrack() {
        return conntrackMetrics;
    }

    /** Counts the connections that were forgotten. */
    BypassCleaner.Listener bypasses() {
        return conntrackMetrics;
    }

    /** The port of {@code --healthz-bind-address}. */
    public PathHandler healthPage() {
        return StatusPages.health(health, healthMetrics);
    }

    /** The port of {@code --metrics-bind-address} with {@code /metrics}. */
    public PathHandler metricsPage(Supplier<MetricSnapshots> metrics) {
        return StatusPages.metrics(settings.mode(), metrics, connections, settings.configz());
    }

    @Override
    public void close() {
        healthPorts.close();
        http.close();
        counted.ifPresent(NftTables::close);
    }

    private final class Progress implements ProxyHealth.Progress {
        @Override
        public Optional<Instant> pendingSince() {
            return loop.stats().pendingSince();
        }

        @Override
        public Optional<Instant> lastSync(IpFamily family) {
            return ProxyReporting.this.lastSync(family);
        }

        /** A missing Node does not make the node ineligible for traffic; a deleted one ends the process. */
        @Override
        public boolean isNodeEligible() {
            NodeInfo node = snapshot.get().nodes().get(settings.node());
            return node == null || !node.leaving();
        }
    }

    private Optional<Instant> lastSync(IpFamily family) {
        if (rules != null) {
            return rules.stats(family).lastSync();
        }
        return tables == null ? loop.stats().lastSynced() : tables.stats(family).lastSync();
    }
}
