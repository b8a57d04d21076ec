package dev.nodepath.agent.metrics;

import dev.nodepath.agent.http.HttpResponse;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;

/**
 * The page {@code /metrics/slis}: the answers of {@code /healthz} on the metrics port, with its one check {@code ping}.
 * It is on its own page, so that it can be scraped more often. Kubernetes' servers use the same names and labels.
 */
public final class HealthcheckMetrics {
    private static final String NAME = "ping";
    private static final String TYPE = "healthz";

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Gauge last = Gauge.builder()
            .name("kubernetes_healthcheck")
            .help("This metric records the result of a single healthcheck.")
            .labelNames("name", "type")
            .register(registry);
    private final Counter all = Counter.builder()
            .name("kubernetes_healthchecks_total")
            .help("This metric records the results of all healthcheck.")
            .labelNames("name", "type", "status")
            .register(registry);

    /** {@code /healthz} was answered. */
    public void answered(int status) {
        boolean well = status == 200;
        last.labelValues(NAME, TYPE).set(well ? 1 : 0);
        all.labelValues(NAME, TYPE, well ? "success" : "error").inc();
    }

    /** The page. */
    public HttpResponse page() throws IOException {
        return MetricsText.response(registry.scrape());
    }
}
