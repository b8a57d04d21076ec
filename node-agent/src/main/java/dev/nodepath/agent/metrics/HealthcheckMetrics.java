package dev.nodepath.agent.metrics;

import dev.nodepath.agent.http.HttpResponse;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;

/**
 * What {@code /metrics/slis} says, which is apart so that it may be asked for more often: how {@code /healthz} of the metrics
 * port was answered, whose one check is named {@code ping}. Names and labels are those of Kubernetes' servers.
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
