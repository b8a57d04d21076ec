package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.iptables.ConntrackCleanerListener;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The proxy's metrics: names, types, labels and buckets of kube-proxy 1.36 ({@code pkg/proxy/metrics}), and some of our own,
 * {@code nodepath_*}. Any thread may use it.
 */
public final class ProxyMetrics implements SyncListener, ConntrackCleanerListener {
    private static final String FAMILY = "ip_family";

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Clock clock;
    private final Instant started;
    private final List<IpFamily> families;
    private boolean nextIsFull = true;
    private ServiceSnapshot offered = ServiceSnapshot.EMPTY;
    private ServiceSnapshot inForce = ServiceSnapshot.EMPTY;

    private final Histogram sync;
    private final Histogram fullSync;
    private final Histogram partialSync;
    private final Histogram programming;
    private final Histogram conntrackSync;
    private final Gauge lastSync;
    private final Gauge lastQueued;
    private final Gauge rules;
    private final Gauge servicesPending;
    private final Gauge endpointsPending;
    private final Counter services;
    private final Counter endpoints;
    private final Counter restoreFailures;
    private final Counter partialRestoreFailures;
    private final Counter syncFailures;
    private final Counter conntrackDeleted;
    private final Counter conntrackFailures;
    private final Counter healthz;
    private final Counter livez;

    /**
     * Metrics of a proxy that starts.
     *
     * @param families those that are served
     * @param node its endpoints are the local ones
     */
    public ProxyMetrics(Clock clock, Collection<IpFamily> families, String node) {
        this.clock = clock;
        this.started = clock.instant();
        this.families = List.copyOf(families);
        Definitions define = new Definitions(registry);
        sync = define.histogram(
                "kubeproxy_sync_proxy_rules_duration_seconds", "SyncProxyRules latency in seconds", Buckets.SYNC);
        fullSync = define.histogram(
                "kubeproxy_sync_full_proxy_rules_duration_seconds",
                "SyncProxyRules latency in seconds for full resyncs",
                Buckets.SYNC);
        partialSync = define.histogram(
                "kubeproxy_sync_partial_proxy_rules_duration_seconds",
                "SyncProxyRules latency in seconds for partial resyncs",
                Buckets.SYNC);
        programming = define.histogram(
                "kubeproxy_network_programming_duration_seconds",
                "In Cluster Network Programming Latency in seconds",
                Buckets.PROGRAMMING);
        conntrackSync = define.histogram(
                "kubeproxy_conntrack_reconciler_sync_duration_seconds",
                "ReconcileConntrackFlowsLatency latency in seconds",
                Buckets.SYNC);
        lastSync = define.gauge(
                "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
                "The last time proxy rules were successfully synced",
                FAMILY);
        lastQueued = define.gauge(
                "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
                "The last time a sync of proxy rules was queued",
                FAMILY);
        rules = define.gauge(
                "kubeproxy_sync_proxy_rules_iptables_total",
                "Total number of iptables rules owned by kube-proxy",
                FAMILY,
                "table");
        servicesPending = define.gauge(
                "kubeproxy_sync_proxy_rules_service_changes_pending", "Pending proxy rules Service changes");
        endpointsPending = define.gauge(
                "kubeproxy_sync_proxy_rules_endpoint_changes_pending", "Pending proxy rules Endpoint changes");
        services = define.counter(
                "kubeproxy_sync_proxy_rules_service_changes_total", "Cumulative proxy rules Service changes");
        endpoints = define.counter(
                "kubeproxy_sync_proxy_rules_endpoint_changes_total", "Cumulative proxy rules Endpoint changes");
        restoreFailures = define.counter(
                "kubeproxy_sync_proxy_rules_iptables_restore_failures_total",
                "Cumulative proxy iptables restore failures",
                FAMILY);
        partialRestoreFailures = define.counter(
                "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total",
                "Cumulative proxy iptables partial restore failures",
                FAMILY);
        syncFailures = define.counter("nodepath_sync_failures_total", "Syncs that failed, whatever the reason");
        conntrackDeleted = define.counter(
                "kubeproxy_conntrack_reconciler_deleted_entries_total",
                "Cumulative conntrack flows deleted by conntrack reconciler",
                FAMILY);
        conntrackFailures = define.counter(
                "nodepath_conntrack_failures_total",
                "Times that stale flows could not be looked for or removed",
                FAMILY);
        healthz = define.counter("kubeproxy_proxy_healthz_total", "Cumulative proxy healthz HTTP status", "code");
        livez = define.counter("kubeproxy_proxy_livez_total", "Cumulative proxy livez HTTP status", "code");
        define.gauge(
                "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
                "Number of services with a Local traffic policy and no endpoints",
                List.of(FAMILY, "traffic_policy"),
                callback -> LocalEndpoints.report(inForce(), this.families, node, callback));
        for (IpFamily family : this.families) {
            for (Counter counter :
                    List.of(restoreFailures, partialRestoreFailures, conntrackDeleted, conntrackFailures)) {
                counter.initLabelValues(family.toString());
            }
        }
        ProcessMetrics.define(define, started);
    }

    /** Everything that is known, to be written in the text format. */
    public PrometheusRegistry registry() {
        return registry;
    }

    /** Adds a counter that something else keeps. */
    public void counter(String name, String help, LongSupplier value) {
        CounterWithCallback.builder()
                .name(name)
                .help(Definitions.help(name, help))
                .callback(callback -> callback.call((double) value.getAsLong()))
                .register(registry);
    }

    /** Adds a gauge that something else keeps; the consumer is given what sets it, with the values of the labels. */
    public void gauge(String name, String help, List<String> labels, Consumer<GaugeWithCallback.Callback> values) {
        new Definitions(registry).gauge(name, help, labels, values);
    }

    /** A snapshot was offered to the proxy. */
    public synchronized void queued(ServiceSnapshot snapshot, ChangeSet changed) {
        SnapshotChanges seen = SnapshotChanges.between(offered, snapshot, changed.servicePorts());
        services.inc(seen.services());
        endpoints.inc(seen.endpoints());
        servicesPending.inc(seen.services());
        endpointsPending.inc(seen.endpoints());
        offered = snapshot;
        families.forEach(family -> lastQueued.labelValues(family.toString()).set(seconds(clock.instant())));
    }

    @Override
    public synchronized void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration) {
        inForce = snapshot;
        boolean full = nextIsFull || changed.isEmpty();
        nextIsFull = false;
        Instant now = clock.instant();
        for (IpFamily family : families) {
            String label = family.toString();
            sync.labelValues(label).observe(seconds(duration));
            (full ? fullSync : partialSync).labelValues(label).observe(seconds(duration));
            lastSync.labelValues(label).set(seconds(now));
            changed.lastTrigger()
                    .filter(trigger -> trigger.isAfter(started))
                    .ifPresent(
                            trigger -> programming.labelValues(label).observe(seconds(Duration.between(trigger, now))));
        }
        boolean upToDate = snapshot.equals(offered);
        SnapshotChanges left = upToDate
                ? SnapshotChanges.NONE
                : SnapshotChanges.between(snapshot, offered, offered.services().keySet());
        servicesPending.set(left.services());
        endpointsPending.set(left.endpoints());
    }

    @Override
    public synchronized void failed(Throwable error, Duration retryIn) {
        nextIsFull = true;
        syncFailures.inc();
    }

    @Override
    public void cleaned(IpFamily family, int removed, Duration duration) {
        conntrackSync.labelValues(family.toString()).observe(seconds(duration));
        conntrackDeleted.labelValues(family.toString()).inc(removed);
    }

    @Override
    public void failed(IpFamily family) {
        conntrackFailures.labelValues(family.toString()).inc();
    }

    /** So many rules of a table are ours. */
    public void rules(IpFamily family, Table table, long count) {
        rules.labelValues(family.toString(), table.toString()).set((double) count);
    }

    /** A text was refused by {@code iptables-restore}. */
    public void restoreFailed(IpFamily family, boolean partial) {
        restoreFailures.labelValues(family.toString()).inc();
        if (partial) {
            partialRestoreFailures.labelValues(family.toString()).inc();
        }
    }

    /** {@code /healthz} was answered. */
    public void healthz(int code) {
        healthz.labelValues(Integer.toString(code)).inc();
    }

    /** {@code /livez} was answered. */
    public void livez(int code) {
        livez.labelValues(Integer.toString(code)).inc();
    }

    private synchronized ServiceSnapshot inForce() {
        return inForce;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private static double seconds(Instant time) {
        return time.toEpochMilli() / 1e3;
    }
}
