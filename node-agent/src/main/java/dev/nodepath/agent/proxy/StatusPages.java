package dev.nodepath.agent.proxy;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.agent.http.ProxyHealth;
import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.HealthMetrics;
import dev.nodepath.agent.metrics.MetricsText;
import dev.nodepath.agent.options.ProxyMode;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Optional;
import java.util.function.Supplier;

/** The pages of the process's own ports; paths and texts are kube-proxy's. */
final class StatusPages {
    private static final HttpResponse NOT_FOUND = HttpResponse.text(404, "404 page not found\n");

    private StatusPages() {}

    /** The port of {@code --healthz-bind-address}. */
    static PathHandler health(ProxyHealth health, HealthMetrics metrics) {
        return path -> switch (path) {
            case "/healthz" -> health.healthz(metrics::healthz);
            case "/livez" -> health.livez(metrics::livez);
            default -> NOT_FOUND;
        };
    }

    /**
     * The port of {@code --metrics-bind-address}; its {@code /healthz} only shows that the process answers.
     *
     * @param metrics the content of {@code /metrics}
     * @param connections empty in a mode whose rules do not count connections
     */
    static PathHandler metrics(
            ProxyMode mode,
            Supplier<MetricSnapshots> metrics,
            Optional<ConnectionMetrics> connections,
            String configz) {
        return path -> switch (path) {
            case "/metrics" -> MetricsText.response(metrics.get());
            case "/metrics/connections" ->
                connections.isEmpty()
                        ? NOT_FOUND
                        : MetricsText.response(connections.get().metrics());
            case "/proxyMode" -> HttpResponse.text(200, mode.toString());
            case "/healthz" -> HttpResponse.text(200, "ok");
            case "/configz" -> HttpResponse.json(200, configz);
            default -> NOT_FOUND;
        };
    }
}
