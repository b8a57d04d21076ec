package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.PolicyTableStats;
import dev.nodepath.policy.object.Direction;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PolicyMetrics metrics = new PolicyMetrics(registry);

    private String text() throws IOException {
        return MetricsText.response(registry.scrape()).body();
    }

    @Test
    void tellsHowPoliciesAreEnforced() throws IOException {
        metrics.synced(Duration.ofMillis(3));
        metrics.failed();
        metrics.ended(6);
        metrics.stands(List.of(
                new PolicyTableStats(IpFamily.IPV6, 7, 8, 3, 2, Map.of(Direction.INGRESS, 5L, Direction.EGRESS, 4L))));
        assertThat(text())
                .contains(
                        "# TYPE nodepath_policy_sync_duration_seconds histogram\n",
                        "nodepath_policy_sync_duration_seconds_count 1\n",
                        "nodepath_policy_sync_failures_total 1.0\n",
                        "nodepath_policy_ended_connections_total 6.0\n",
                        "nodepath_policy_repairs_total{ip_family=\"IPv6\"} 2.0\n",
                        "nodepath_policy_chains{ip_family=\"IPv6\"} 7.0\n",
                        "nodepath_policy_elements{ip_family=\"IPv6\"} 8.0\n",
                        "nodepath_policy_refused_parts{ip_family=\"IPv6\"} 3.0\n",
                        "nodepath_policy_dropped_packets_total{direction=\"ingress\",ip_family=\"IPv6\"} 5.0\n",
                        "nodepath_policy_dropped_packets_total{direction=\"egress\",ip_family=\"IPv6\"} 4.0\n");
    }

    @Test
    void whatIsInForceHasNoValueUntilPoliciesAre() throws IOException {
        assertThat(text()).contains("nodepath_policy_sync_failures_total 0.0\n").doesNotContain("ip_family");
    }
}
