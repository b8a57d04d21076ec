package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.sync.SyncStats;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SyncMetricsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final List<IpFamily> FAMILIES = List.of(IpFamily.IPV4, IpFamily.IPV6);

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final SyncMetrics metrics = new SyncMetrics(
            registry,
            InstantSource.fixed(NOW),
            FAMILIES,
            "n1",
            () -> new SyncStats(2, 7, 1, 8, 3, Optional.of(NOW), Optional.empty(), Optional.empty()),
            family -> family == IpFamily.IPV4 ? Optional.of(NOW) : Optional.empty(),
            Optional.empty());

    private String text() throws IOException {
        return MetricsText.response(registry.scrape()).body();
    }

    private static ServiceSnapshot cluster() {
        return Snapshots.service("a/web", "10.96.0.10,fd00:96::10", 80)
                .internalTrafficLocal()
                .endpoint("10.244.9.1:80", "n2")
                .build();
    }

    @Test
    void bearsKubeProxysNamesTypesAndHelp() throws IOException {
        metrics.synced(ServiceSnapshot.EMPTY, ChangeSet.NONE, Duration.ofMillis(3), Optional.empty());
        assertThat(text())
                .contains(
                        "# HELP kubeproxy_sync_proxy_rules_duration_seconds [ALPHA] SyncProxyRules latency in seconds\n",
                        "# TYPE kubeproxy_sync_proxy_rules_duration_seconds histogram\n",
                        "kubeproxy_sync_proxy_rules_duration_seconds_bucket{ip_family=\"IPv4\",le=\"0.002\"} 0\n",
                        "kubeproxy_sync_proxy_rules_duration_seconds_bucket{ip_family=\"IPv4\",le=\"0.004\"} 1\n",
                        "kubeproxy_sync_proxy_rules_duration_seconds_bucket{ip_family=\"IPv4\",le=\"16.384\"} 1\n",
                        "# TYPE kubeproxy_sync_proxy_rules_last_timestamp_seconds gauge\n",
                        "kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family=\"IPv4\"} 1.7951688E9\n",
                        "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{ip_family=\"IPv6\"} 1.7951688E9\n",
                        "# TYPE kubeproxy_sync_proxy_rules_service_changes_total counter\n",
                        "kubeproxy_sync_proxy_rules_service_changes_total 7.0\n",
                        "# TYPE kubeproxy_sync_proxy_rules_service_changes_pending gauge\n",
                        "kubeproxy_sync_proxy_rules_service_changes_pending 1.0\n",
                        "kubeproxy_sync_proxy_rules_endpoint_changes_total 8.0\n",
                        "kubeproxy_sync_proxy_rules_endpoint_changes_pending 3.0\n",
                        "nodepath_sync_failures_total 2.0\n")
                .doesNotContain("kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family=\"IPv6\"}");
    }

    @Test
    void measuresEachChangeFromItsTriggerInTheCluster() throws IOException {
        metrics.synced(
                cluster(),
                triggered(NOW.plusNanos(1), NOW.plusNanos(2), NOW.minusNanos(1)),
                Duration.ZERO,
                Optional.empty());
        assertThat(text())
                .as("without the one before the process began")
                .contains(
                        "kubeproxy_network_programming_duration_seconds_count{ip_family=\"IPv4\"} 2\n",
                        "le=\"0.25\"",
                        "le=\"59.0\"",
                        "le=\"115.0\"",
                        "le=\"300.0\"");
    }

    private static ChangeSet triggered(Instant... triggers) {
        ServicePortName changed = cluster().services().firstKey();
        return new ChangeSet(
                new TreeSet<>(Set.of(changed)),
                false,
                new TreeMap<>(Map.of(changed.service(), List.of(triggers))),
                0,
                triggers.length);
    }

    @Test
    void countsServicesThatThisNodeCannotServe() throws IOException {
        metrics.synced(cluster(), ChangeSet.NONE, Duration.ZERO, Optional.empty());
        assertThat(text())
                .contains(
                        "kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family=\"IPv4\",traffic_policy=\"internal\"} 1.0\n",
                        "kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family=\"IPv4\",traffic_policy=\"external\"} 0.0\n",
                        "kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family=\"IPv6\",traffic_policy=\"internal\"} 0.0\n");
    }
}
