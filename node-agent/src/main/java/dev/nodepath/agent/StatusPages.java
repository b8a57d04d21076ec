package dev.nodepath.agent;

import dev.nodepath.agent.health.ProxyHealth;
import dev.nodepath.agent.http.HttpHandler;
import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.MetricsText;
import dev.nodepath.agent.metrics.ProxyMetrics;
import org.jspecify.annotations.Nullable;

/** What stands under which path of the process's own ports; the paths and the words are kube-proxy's. */
final class StatusPages {
    private static final HttpResponse NOT_FOUND = HttpResponse.text(404, "404 page not found\n");

    private StatusPages() {}

    /** The port of {@code --healthz-bind-address}. */
    static HttpHandler health(ProxyHealth health, ProxyMetrics metrics) {
        return request -> switch (request.path()) {
            case "/healthz" -> health.healthz(metrics::healthz);
            case "/livez" -> health.livez(metrics::livez);
            default -> NOT_FOUND;
        };
    }

    /**
     * The port of {@code --metrics-bind-address}; its {@code /healthz} only says that the process answers.
     *
     * @param connections null in a mode whose rules do not count connections
     */
    static HttpHandler metrics(
            ProxyMode mode, ProxyMetrics metrics, @Nullable ConnectionMetrics connections, String configz) {
        return request -> switch (request.path()) {
            case "/metrics" -> MetricsText.response(metrics.registry().scrape());
            case "/metrics/connections" ->
                connections == null ? NOT_FOUND : MetricsText.response(connections.metrics());
            case "/proxyMode" -> HttpResponse.text(200, mode.toString());
            case "/healthz" -> HttpResponse.text(200, "ok");
            case "/configz" -> HttpResponse.json(200, configz);
            default -> NOT_FOUND;
        };
    }
}
