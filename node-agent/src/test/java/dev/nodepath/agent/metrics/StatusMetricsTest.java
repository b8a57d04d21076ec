package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.endpoints.source.kubernetes.ServerVersion;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The metrics of conntrack, health checks, the source and the process. */
class StatusMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    private String text() throws IOException {
        return MetricsText.response(registry.scrape()).body();
    }

    @Test
    void tellsWhatConntrackLost() throws IOException {
        ConntrackMetrics conntrack = new ConntrackMetrics(registry, List.of(IpFamily.IPV4, IpFamily.IPV6));
        conntrack.cleaned(IpFamily.IPV4, 3, Duration.ofMillis(2));
        conntrack.failed(IpFamily.IPV6);
        assertThat(text())
                .contains(
                        "kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family=\"IPv4\"} 3.0\n",
                        "kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family=\"IPv6\"} 0.0\n",
                        "kubeproxy_conntrack_reconciler_sync_duration_seconds_count{ip_family=\"IPv4\"} 1\n",
                        "nodepath_conntrack_failures_total{ip_family=\"IPv6\"} 1.0\n");
    }

    @Test
    void countsAnswersToHealthChecks() throws IOException {
        HealthMetrics health = new HealthMetrics(registry);
        health.healthz(200);
        health.livez(503);
        assertThat(text())
                .contains(
                        "kubeproxy_proxy_healthz_total{code=\"200\"} 1.0\n",
                        "kubeproxy_proxy_livez_total{code=\"503\"} 1.0\n");
    }

    @Test
    void tellsHowTheClusterIsFollowed() throws IOException {
        SourceMetrics.register(
                registry,
                () -> new SourceStats(
                        List.of(new SourceStats.Skipped("Service", "spec.ports.port", 2)),
                        List.of(new SourceStats.Watch(
                                "Node",
                                3,
                                4,
                                Optional.empty(),
                                Optional.of(Instant.ofEpochSecond(5)),
                                Map.of("410", 6L),
                                Optional.empty()))));
        assertThat(text())
                .contains(
                        "nodepath_source_skipped_objects_total{kind=\"Service\",reason=\"spec.ports.port\"} 2.0\n",
                        "nodepath_source_lists_total{kind=\"Node\"} 3.0\n",
                        "nodepath_source_watches_total{kind=\"Node\"} 4.0\n",
                        "nodepath_source_errors_total{code=\"410\",kind=\"Node\"} 6.0\n",
                        "nodepath_source_last_contact_timestamp_seconds{kind=\"Node\"} 5.0\n")
                .doesNotContain("nodepath_source_last_event_timestamp_seconds{");
    }

    /** With the names and labels that dashboards of kube-proxy ask for. */
    @Test
    void tellsHowTheApiServerAnswers() throws IOException {
        ApiMetrics api = new ApiMetrics(registry);
        assertThat(text()).doesNotContain("kubernetes_build_info{", "rest_client_requests_total{");
        api.answered("GET", "10.96.0.1:443", "200", Duration.ofMillis(30));
        api.answered("GET", "10.96.0.1:443", "<error>", Duration.ofSeconds(10));
        for (String version : List.of("v1.36.1", "v1.36.2")) {
            api.version(new ServerVersion("1", "36", version, "abc", "clean", "today", "go1.26", "gc", "linux/amd64"));
        }
        assertThat(text())
                .contains(
                        "rest_client_requests_total{code=\"200\",host=\"10.96.0.1:443\",method=\"GET\"} 1.0\n",
                        "rest_client_requests_total{code=\"<error>\",host=\"10.96.0.1:443\",method=\"GET\"} 1.0\n",
                        "rest_client_request_duration_seconds_bucket{host=\"10.96.0.1:443\",verb=\"GET\",le=\"0.025\"} 0\n",
                        "rest_client_request_duration_seconds_bucket{host=\"10.96.0.1:443\",verb=\"GET\",le=\"0.1\"} 1\n",
                        "rest_client_request_duration_seconds_count{host=\"10.96.0.1:443\",verb=\"GET\"} 2\n",
                        "kubernetes_build_info{build_date=\"today\",compiler=\"gc\",git_commit=\"abc\","
                                + "git_tree_state=\"clean\",git_version=\"v1.36.2\",go_version=\"go1.26\",major=\"1\","
                                + "minor=\"36\",platform=\"linux/amd64\"} 1\n")
                .doesNotContain("v1.36.1");
    }

    @Test
    void tellsWhatEveryProcessTells() throws IOException {
        ProcessMetrics.register(registry, "1.2.3");
        assertThat(text())
                .contains("# TYPE process_cpu_seconds_total counter\n", "nodepath_build_info{version=\"1.2.3\"} 1\n")
                .containsPattern("\nprocess_cpu_seconds_total [0-9.E]+\n")
                .containsPattern("\nprocess_start_time_seconds 1\\.[0-9]+E9\n")
                .containsPattern("\nprocess_resident_memory_bytes [1-9]")
                .containsPattern("\nprocess_virtual_memory_bytes [1-9]")
                .containsPattern("\nprocess_virtual_memory_max_bytes [1-9]")
                .containsPattern("\nprocess_open_fds [1-9]")
                .containsPattern("\nprocess_max_fds [1-9]")
                .containsPattern("\nprocess_threads [1-9]");
    }
}
