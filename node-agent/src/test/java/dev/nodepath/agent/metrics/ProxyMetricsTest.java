package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ProxyMetricsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    private final ProxyMetrics metrics =
            new ProxyMetrics(Clock.fixed(NOW, ZoneOffset.UTC), List.of(IpFamily.IPV4, IpFamily.IPV6), "n1");

    private String text() throws IOException {
        return MetricsText.response(metrics.registry().scrape()).body();
    }

    private static ServiceSnapshot cluster() {
        return Snapshots.service("a/web", "10.96.0.10,fd00:96::10", 80)
                .internalTrafficLocal()
                .endpoint("10.244.9.1:80", "n2")
                .build();
    }

    @Test
    void bearsKubeProxysNamesTypesAndHelp() throws IOException {
        metrics.rules(IpFamily.IPV4, Table.NAT, 7);
        metrics.restoreFailed(IpFamily.IPV6, true);
        metrics.synced(ServiceSnapshot.EMPTY, ChangeSet.NONE, Duration.ofMillis(3));
        metrics.healthz(200);
        metrics.livez(503);
        assertThat(text())
                .contains(
                        "# HELP kubeproxy_sync_proxy_rules_iptables_total [ALPHA] Total number of iptables rules owned by kube-proxy\n",
                        "# TYPE kubeproxy_sync_proxy_rules_iptables_total gauge\n",
                        "kubeproxy_sync_proxy_rules_iptables_total{ip_family=\"IPv4\",table=\"nat\"} 7.0\n",
                        "# TYPE kubeproxy_sync_proxy_rules_iptables_restore_failures_total counter\n",
                        "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total{ip_family=\"IPv6\"} 1.0\n",
                        "kubeproxy_sync_proxy_rules_iptables_restore_failures_total{ip_family=\"IPv4\"} 0.0\n",
                        "# TYPE kubeproxy_sync_proxy_rules_duration_seconds histogram\n",
                        "kubeproxy_sync_proxy_rules_duration_seconds_bucket{ip_family=\"IPv4\",le=\"0.002\"} 0\n",
                        "kubeproxy_sync_proxy_rules_duration_seconds_bucket{ip_family=\"IPv4\",le=\"0.004\"} 1\n",
                        "kubeproxy_sync_proxy_rules_duration_seconds_bucket{ip_family=\"IPv4\",le=\"16.384\"} 1\n",
                        "kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family=\"IPv6\"}",
                        "kubeproxy_proxy_healthz_total{code=\"200\"} 1.0\n",
                        "kubeproxy_proxy_livez_total{code=\"503\"} 1.0\n",
                        "process_start_time_seconds",
                        "process_resident_memory_bytes");
    }

    @Test
    void tellsFullSyncsFromPartialOnes() throws IOException {
        ChangeSet change = ChangeSet.of(cluster().services().keySet());
        metrics.synced(cluster(), change, Duration.ofMillis(1));
        metrics.synced(cluster(), change, Duration.ofMillis(1));
        metrics.synced(cluster(), change, Duration.ofMillis(1));
        metrics.failed(new IOException("x"), Duration.ZERO);
        metrics.synced(cluster(), change, Duration.ofMillis(1));
        assertThat(text())
                .contains(
                        "kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 4\n",
                        "kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 2\n",
                        "kubeproxy_sync_partial_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 2\n",
                        "nodepath_sync_failures_total 1.0\n");
    }

    @Test
    void countsChangesUntilTheyAreInForce() throws IOException {
        ChangeSet change = ChangeSet.of(cluster().services().keySet());
        metrics.queued(cluster(), change);
        assertThat(text())
                .contains(
                        "kubeproxy_sync_proxy_rules_service_changes_pending 1.0\n",
                        "kubeproxy_sync_proxy_rules_endpoint_changes_pending 1.0\n",
                        "kubeproxy_sync_proxy_rules_service_changes_total 1.0\n",
                        "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{ip_family=\"IPv4\"} 1.7951688E9\n");
        metrics.synced(cluster(), change, Duration.ZERO);
        assertThat(text())
                .contains(
                        "kubeproxy_sync_proxy_rules_service_changes_pending 0.0\n",
                        "kubeproxy_sync_proxy_rules_endpoint_changes_pending 0.0\n",
                        "kubeproxy_sync_proxy_rules_endpoint_changes_total 1.0\n");
    }

    @Test
    void measuresFromTheChangeInTheCluster() throws IOException {
        metrics.synced(cluster(), triggered(NOW.plusMillis(-400)), Duration.ZERO);
        assertThat(text())
                .as("before the process began")
                .doesNotContain("kubeproxy_network_programming_duration_seconds_count");
        ProxyMetrics later = new ProxyMetrics(Clock.fixed(NOW, ZoneOffset.UTC), List.of(IpFamily.IPV4), "n1");
        later.synced(cluster(), triggered(NOW.plusNanos(1)), Duration.ZERO);
        assertThat(MetricsText.response(later.registry().scrape()).body())
                .contains(
                        "kubeproxy_network_programming_duration_seconds_count{ip_family=\"IPv4\"} 1\n",
                        "le=\"0.25\"",
                        "le=\"59.0\"",
                        "le=\"115.0\"",
                        "le=\"300.0\"");
    }

    private static ChangeSet triggered(Instant trigger) {
        ServicePortName changed = cluster().services().firstKey();
        return new ChangeSet(
                new TreeSet<>(Set.of(changed)),
                false,
                new TreeMap<>(Map.of(changed.service(), List.of(trigger))),
                0,
                1);
    }

    @Test
    void countsServicesThatThisNodeCannotServe() throws IOException {
        metrics.synced(cluster(), ChangeSet.NONE, Duration.ZERO);
        assertThat(text())
                .contains(
                        "kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family=\"IPv4\",traffic_policy=\"internal\"} 1.0\n",
                        "kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family=\"IPv4\",traffic_policy=\"external\"} 0.0\n",
                        "kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family=\"IPv6\",traffic_policy=\"internal\"} 0.0\n");
    }

    @Test
    void tellsWhatConntrackLost() throws IOException {
        metrics.cleaned(IpFamily.IPV4, 3, Duration.ofMillis(2));
        metrics.failed(IpFamily.IPV6);
        assertThat(text())
                .contains(
                        "kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family=\"IPv4\"} 3.0\n",
                        "kubeproxy_conntrack_reconciler_sync_duration_seconds_count{ip_family=\"IPv4\"} 1\n",
                        "nodepath_conntrack_failures_total{ip_family=\"IPv6\"} 1.0\n");
    }
}
