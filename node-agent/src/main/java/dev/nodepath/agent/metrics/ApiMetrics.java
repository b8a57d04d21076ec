package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.source.kubernetes.ApiListener;
import dev.nodepath.endpoints.source.kubernetes.ServerVersion;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;

/** Requests to API servers under client-go's names, and which Kubernetes the server is. */
public final class ApiMetrics implements ApiListener {
    private final Counter requests;
    private final Histogram durations;
    private final Info version;

    /** No request was sent yet. */
    public ApiMetrics(PrometheusRegistry registry) {
        Definitions define = new Definitions(registry);
        requests = define.counter(
                "rest_client_requests_total",
                "Number of HTTP requests, partitioned by status code, method, and host.",
                "code",
                "method",
                "host");
        durations = define.histogram(
                "rest_client_request_duration_seconds",
                "Request latency in seconds, until the answer begins. Broken down by verb, and host.",
                Buckets.REQUEST,
                "verb",
                "host");
        version = Info.builder()
                .name("kubernetes_build_info")
                .help("Kubernetes version of the API server; always 1")
                .labelNames(
                        "major",
                        "minor",
                        "git_version",
                        "git_commit",
                        "git_tree_state",
                        "build_date",
                        "go_version",
                        "compiler",
                        "platform")
                .register(registry);
    }

    @Override
    public void answered(String method, String host, String code, Duration duration) {
        requests.labelValues(code, method, host).inc();
        durations.labelValues(method, host).observe(Seconds.of(duration));
    }

    @Override
    public void version(ServerVersion server) {
        version.setLabelValues(
                server.major(),
                server.minor(),
                server.gitVersion(),
                server.gitCommit(),
                server.gitTreeState(),
                server.buildDate(),
                server.goVersion(),
                server.compiler(),
                server.platform());
    }
}
