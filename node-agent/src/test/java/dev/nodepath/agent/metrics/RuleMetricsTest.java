package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.iptables.RuleCounts;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RuleMetricsTest {
    private RuleSyncStats<RuleCounts> stats = stats(0, 0, 0, 0);
    private OptionalLong packets = OptionalLong.of(3);
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final RuleMetrics metrics =
            new RuleMetrics(registry, List.of(IpFamily.IPV4), family -> stats, counted -> packets);

    private static RuleSyncStats<RuleCounts> stats(long full, long partial, long fullFailures, long partialFailures) {
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
                new RuleCounts(Map.of(Table.NAT, 7, Table.FILTER, 5), Map.of(Table.NAT, 2)));
    }

    private String text() throws IOException {
        return MetricsText.response(registry.scrape()).body();
    }

    @Test
    void tellsFullSyncsFromPartialOnes() throws IOException {
        stats = stats(1, 0, 0, 0);
        assertThat(metrics.durations().observe(IpFamily.IPV4)).contains(Duration.ofMillis(300));
        stats = stats(1, 1, 0, 0);
        assertThat(metrics.durations().observe(IpFamily.IPV4)).contains(Duration.ofMillis(3));
        assertThat(metrics.durations().observe(IpFamily.IPV4))
                .as("nothing was written")
                .isEmpty();
        stats = stats(1, 1, 1, 1);
        assertThat(metrics.durations().observe(IpFamily.IPV4))
                .as("one that failed")
                .contains(Duration.ofMillis(300));
        assertThat(text())
                .contains(
                        "# TYPE kubeproxy_sync_full_proxy_rules_duration_seconds histogram\n",
                        "kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 2\n",
                        "kubeproxy_sync_full_proxy_rules_duration_seconds_sum{ip_family=\"IPv4\"} 0.6\n",
                        "kubeproxy_sync_partial_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 1\n",
                        "kubeproxy_sync_partial_proxy_rules_duration_seconds_sum{ip_family=\"IPv4\"} 0.003\n");
    }

    @Test
    void tellsWhatTheRulesCountedWhereTheyCount() throws IOException {
        assertThat(text())
                .contains(
                        "# TYPE kubeproxy_iptables_ct_state_invalid_dropped_packets_total counter\n",
                        "kubeproxy_iptables_ct_state_invalid_dropped_packets_total 3.0\n",
                        "kubeproxy_iptables_localhost_nodeports_accepted_packets_total 3.0\n");
        packets = OptionalLong.empty();
        assertThat(text()).doesNotContain("_packets_total");
    }

    @Test
    void bearsKubeProxysNamesTypesAndHelp() throws IOException {
        stats = stats(1, 1, 2, 1);
        assertThat(text())
                .contains(
                        "# HELP kubeproxy_sync_proxy_rules_iptables_total [ALPHA] Total number of iptables rules owned by kube-proxy\n",
                        "# TYPE kubeproxy_sync_proxy_rules_iptables_total gauge\n",
                        "kubeproxy_sync_proxy_rules_iptables_total{ip_family=\"IPv4\",table=\"nat\"} 7.0\n",
                        "kubeproxy_sync_proxy_rules_iptables_total{ip_family=\"IPv4\",table=\"filter\"} 5.0\n",
                        "# HELP kubeproxy_sync_proxy_rules_iptables_last [ALPHA] Number of iptables rules written by kube-proxy in last sync\n",
                        "kubeproxy_sync_proxy_rules_iptables_last{ip_family=\"IPv4\",table=\"nat\"} 2.0\n",
                        "# TYPE kubeproxy_sync_proxy_rules_iptables_restore_failures_total counter\n",
                        "kubeproxy_sync_proxy_rules_iptables_restore_failures_total{ip_family=\"IPv4\"} 3.0\n",
                        "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total{ip_family=\"IPv4\"} 1.0\n",
                        "nodepath_rule_repairs_total{ip_family=\"IPv4\"} 4.0\n",
                        "nodepath_refused_service_ports{ip_family=\"IPv4\"} 6.0\n");
    }
}
