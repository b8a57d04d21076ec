package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncStats;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Metrics of syncs in all modes: names, types and labels of kube-proxy 1.36. */
public final class SyncMetrics implements SyncListener {
    private final InstantSource clock;
    private final Instant started;
    private final List<IpFamily> families;
    private final Optional<SyncDurations> durations;
    private final Histogram sync;
    private final Histogram programming;
    private volatile ServiceSnapshot inForce = ServiceSnapshot.EMPTY;

    /**
     * Registers the metrics of a proxy.
     *
     * @param families the families that the proxy serves
     * @param node the name of this node's Node; endpoints on it are local
     * @param loop tells when syncs were requested and done
     * @param lastSync tells when each family was last synced
     * @param durations tell how long each family took; without them the time of the whole sync counts
     */
    public SyncMetrics(
            PrometheusRegistry registry,
            InstantSource clock,
            List<IpFamily> families,
            String node,
            Supplier<SyncStats> loop,
            Function<IpFamily, Optional<Instant>> lastSync,
            Optional<SyncDurations> durations) {
        this.clock = clock;
        this.started = clock.instant();
        this.families = List.copyOf(families);
        this.durations = durations;
        Definitions define = new Definitions(registry);
        sync = define.histogram(
                "kubeproxy_sync_proxy_rules_duration_seconds", "SyncProxyRules latency in seconds", Buckets.SYNC);
        programming = define.histogram(
                "kubeproxy_network_programming_duration_seconds",
                "In Cluster Network Programming Latency in seconds",
                Buckets.PROGRAMMING);
        times(define, loop, lastSync);
        changes(define, loop);
        define.gauge(
                "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
                "Number of services with a Local traffic policy and no endpoints",
                callback -> LocalEndpoints.report(inForce, this.families, node, callback),
                Definitions.FAMILY,
                "traffic_policy");
    }

    private void times(Definitions define, Supplier<SyncStats> loop, Function<IpFamily, Optional<Instant>> lastSync) {
        define.gauge(
                "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
                "The last time proxy rules were successfully synced",
                callback -> families.forEach(family ->
                        lastSync.apply(family).ifPresent(time -> callback.call(Seconds.of(time), family.toString()))),
                Definitions.FAMILY);
        define.gauge(
                "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
                "The last time a sync of proxy rules was queued",
                callback -> loop.get()
                        .lastQueued()
                        .ifPresent(
                                time -> families.forEach(family -> callback.call(Seconds.of(time), family.toString()))),
                Definitions.FAMILY);
    }

    private static void changes(Definitions define, Supplier<SyncStats> loop) {
        define.counted(
                "kubeproxy_sync_proxy_rules_service_changes_total",
                "Cumulative proxy rules Service changes",
                callback -> callback.call((double) loop.get().serviceChanges()));
        define.gauge(
                "kubeproxy_sync_proxy_rules_service_changes_pending",
                "Pending proxy rules Service changes",
                callback -> callback.call(loop.get().serviceChangesPending()));
        define.counted(
                "kubeproxy_sync_proxy_rules_endpoint_changes_total",
                "Cumulative proxy rules Endpoint changes",
                callback -> callback.call((double) loop.get().endpointChanges()));
        define.gauge(
                "kubeproxy_sync_proxy_rules_endpoint_changes_pending",
                "Pending proxy rules Endpoint changes",
                callback -> callback.call(loop.get().endpointChangesPending()));
        define.counted(
                "nodepath_sync_failures_total",
                "Failed syncs of the rules, for any reason",
                callback -> callback.call((double) loop.get().failures()));
    }

    @Override
    public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration, Optional<Duration> waited) {
        inForce = snapshot;
        List<Duration> waits = changed.programmingDurations(started, clock.instant());
        for (IpFamily family : families) {
            Duration took = durations.flatMap(each -> each.observe(family)).orElse(duration);
            sync.labelValues(family.toString()).observe(Seconds.of(took));
            waits.forEach(wait -> programming.labelValues(family.toString()).observe(Seconds.of(wait)));
        }
    }

    /** Counts the failed sync. One of two families may have been synced all the same. */
    @Override
    public void failed(Throwable error, Duration retryIn) {
        for (IpFamily family : families) {
            durations
                    .flatMap(each -> each.observe(family))
                    .ifPresent(took -> sync.labelValues(family.toString()).observe(Seconds.of(took)));
        }
    }
}
