package dev.nodepath.agent.proxy;

import dev.nodepath.agent.http.HttpPorts;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.agent.http.ProxyHealth;
import dev.nodepath.agent.http.ServiceHealthPorts;
import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.ConntrackMetrics;
import dev.nodepath.agent.metrics.HealthMetrics;
import dev.nodepath.agent.metrics.SyncMetrics;
import dev.nodepath.agent.options.ProxySettings;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.BypassCleaner;
import dev.nodepath.endpoints.sync.ConntrackCleanerListener;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A running proxy's reports: metrics and health, and the health check node ports of its Services. */
public final class ProxyReporting implements AutoCloseable {
    private final ProxySettings settings;
    private final Supplier<ServiceSnapshot> snapshot;
    private final SyncLoop loop;
    private final RunningMode mode;
    private final HttpPorts http = new HttpPorts();
    private final ProxyHealth health;
    private final ServiceHealthPorts healthPorts;
    private final HealthMetrics healthMetrics;
    private final SyncMetrics syncMetrics;
    private final ConntrackMetrics conntrackMetrics;
    private final Optional<ConnectionMetrics> connections;

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
            RunningMode mode,
            ServedFamilies served,
            NetworkNamespace namespace,
            PrometheusRegistry registry) {
        this.settings = settings;
        this.snapshot = snapshot;
        this.loop = loop;
        this.mode = mode;
        List<IpFamily> families = served.families();
        Duration period =
                settings.policy().syncPeriod().orElse(settings.policy().retry().max());
        InstantSource clock = InstantSource.system();
        health = new ProxyHealth(clock, period.multipliedBy(2), families, new Progress());
        healthPorts = new ServiceHealthPorts(
                http,
                health,
                settings.node(),
                new HealthPortAddresses(namespace, settings.common().nodePortAddresses(), families, settings.node()));

        healthMetrics = new HealthMetrics(registry);
        conntrackMetrics = new ConntrackMetrics(registry, families);
        syncMetrics = new SyncMetrics(
                registry, clock, families, settings.node(), loop::stats, mode::lastSync, mode.register(registry));
        connections = mode.connections()
                .map(counters -> new ConnectionMetrics(snapshot, families, counters, System::nanoTime));
    }

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
    }

    private final class Progress implements ProxyHealth.Progress {
        @Override
        public Optional<Instant> pendingSince() {
            return loop.stats().pendingSince();
        }

        @Override
        public Optional<Instant> lastSync(IpFamily family) {
            return mode.lastSync(family);
        }

        /** A missing Node does not make the node ineligible for traffic; a deleted one ends the process. */
        @Override
        public boolean isNodeEligible() {
            NodeInfo node = snapshot.get().nodes().get(settings.node());
            return node == null || !node.leaving();
        }
    }
}
