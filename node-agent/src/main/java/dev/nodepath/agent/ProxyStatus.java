package dev.nodepath.agent;

import dev.nodepath.agent.health.ProxyHealth;
import dev.nodepath.agent.health.ServiceHealthPorts;
import dev.nodepath.agent.health.StatusPorts;
import dev.nodepath.agent.http.HttpPorts;
import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.ConntrackMetrics;
import dev.nodepath.agent.metrics.HealthMetrics;
import dev.nodepath.agent.metrics.ProcessMetrics;
import dev.nodepath.agent.metrics.RuleMetrics;
import dev.nodepath.agent.metrics.SourceMetrics;
import dev.nodepath.agent.metrics.SyncMetrics;
import dev.nodepath.agent.metrics.UserspaceMetrics;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.iptables.ConntrackCleanerListener;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a running proxy tells about itself and its Services, and the ports it tells it on. */
final class ProxyStatus implements AutoCloseable {
    private final ProxySettings settings;
    private final ServiceSource source;
    private final SyncLoop loop;
    private final @Nullable IptablesProxy rules;
    private final HttpPorts http = new HttpPorts();
    private final StatusPorts ports = new StatusPorts(http);
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final ProxyHealth health;
    private final ServiceHealthPorts healthPorts;
    private final HealthMetrics healthMetrics;
    private final SyncMetrics syncMetrics;
    private final ConntrackMetrics conntrackMetrics;
    private final Optional<ConnectionMetrics> connections;

    /** Serves nothing yet. */
    ProxyStatus(
            ProxySettings settings,
            ServiceSource source,
            SyncLoop loop,
            ServiceProxy proxy,
            List<IptablesCommand> iptables,
            NetworkNamespace namespace) {
        this.settings = settings;
        this.source = source;
        this.loop = loop;
        this.rules = proxy instanceof IptablesProxy writer ? writer : null;
        List<IpFamily> families = iptables.stream().map(Iptables::family).toList();
        Duration period =
                settings.policy().syncPeriod().orElse(settings.policy().retryMax());
        Clock clock = Clock.systemUTC();
        health = new ProxyHealth(clock, period.multipliedBy(2), families, new Progress());
        healthPorts = new ServiceHealthPorts(
                http,
                health,
                settings.node(),
                new HealthPortAddresses(namespace, settings.rules().nodePortAddresses(), families, settings.node()));

        healthMetrics = new HealthMetrics(registry);
        conntrackMetrics = new ConntrackMetrics(registry, families);
        syncMetrics = new SyncMetrics(
                registry,
                clock,
                families,
                settings.node(),
                loop::stats,
                this::lastSync,
                Optional.ofNullable(rules).map(writer -> new RuleMetrics(registry, families, writer::stats)));
        if (proxy instanceof UserspaceProxy relay) {
            UserspaceMetrics.register(registry, () -> relay.metrics().counts(), relay::services);
        }
        SourceMetrics.register(registry, source::stats);
        ProcessMetrics.register(registry, NodepathVersion.version());
        connections = Optional.ofNullable(rules)
                .map(writer -> new ConnectionMetrics(
                        source::snapshot,
                        families,
                        family -> iptables.get(families.indexOf(family)).saveWithCounters(Table.NAT),
                        System::nanoTime));
    }

    /** Those that are to be told of syncs. */
    List<SyncListener> listeners() {
        return List.of(syncMetrics, healthPorts);
    }

    /** Counts removed flows. */
    ConntrackCleanerListener conntrack() {
        return conntrackMetrics;
    }

    /** Opens the process's own ports. */
    void serve() throws IOException {
        if (settings.healthz().isPresent()) {
            ports.serve(
                    "healthz",
                    settings.healthz().get(),
                    StatusPages.health(health, healthMetrics),
                    settings.bindHardFail());
        }
        if (settings.metrics().isPresent()) {
            ports.serve(
                    "metrics",
                    settings.metrics().get(),
                    StatusPages.metrics(settings.mode(), registry, connections, settings.configz()),
                    settings.bindHardFail());
        }
    }

    @Override
    public void close() {
        ports.close();
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
            return ProxyStatus.this.lastSync(family);
        }

        /** A Node that is not there yet is no reason to keep traffic away; one that has gone ends the process. */
        @Override
        public boolean isNodeEligible() {
            NodeInfo node = source.snapshot().nodes().get(settings.node());
            return node == null || !node.leaving();
        }
    }

    private Optional<Instant> lastSync(IpFamily family) {
        return rules == null ? loop.stats().lastSynced() : rules.stats(family).lastSync();
    }
}
