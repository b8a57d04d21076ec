package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.nftables.TableSize;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableMetricsTest {
    private RuleSyncStats<TableSize> stats = stats(0, 0, 0, 0);
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final TableMetrics metrics = new TableMetrics(registry, List.of(IpFamily.IPV6), family -> stats);

    private static RuleSyncStats<TableSize> stats(long full, long partial, long fullFailures, long partialFailures) {
        return new RuleSyncStats<>(
                full,
                partial,
                fullFailures,
                partialFailures,
                4,
                Duration.ofMillis(300),
                Duration.ofMillis(3),
                Optional.empty(),
                6,
                new TableSize(21, 22, 0, 5));
    }

    private String text() throws IOException {
        return MetricsText.response(registry.scrape()).body();
    }

    /** The metrics of kube-proxy 1.36 in this mode (pkg/proxy/metrics/metrics.go), and our own. */
    @Test
    void bearsKubeProxysNamesTypesAndHelp() throws IOException {
        stats = stats(1, 1, 2, 1);
        assertThat(metrics.durations().observe(IpFamily.IPV6)).contains(Duration.ofMillis(300));
        assertThat(text())
                .contains(
                        "# HELP kubeproxy_sync_proxy_rules_nftables_sync_failures_total [ALPHA] Cumulative proxy nftables sync failures\n",
                        "# TYPE kubeproxy_sync_proxy_rules_nftables_sync_failures_total counter\n",
                        "kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family=\"IPv6\"} 3.0\n",
                        "# HELP kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total [ALPHA] Cumulative proxy nftables cleanup failures\n",
                        "# TYPE kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total counter\n",
                        "kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total{ip_family=\"IPv6\"} 5.0\n",
                        "nodepath_rule_repairs_total{ip_family=\"IPv6\"} 4.0\n",
                        "nodepath_nftables_chains{ip_family=\"IPv6\"} 21.0\n",
                        "nodepath_nftables_elements{ip_family=\"IPv6\"} 22.0\n",
                        "nodepath_refused_service_ports{ip_family=\"IPv6\"} 6.0\n")
                .doesNotContain("iptables");
    }
}
