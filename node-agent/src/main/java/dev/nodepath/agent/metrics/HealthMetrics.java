package dev.nodepath.agent.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** The answers to health checks. */
public final class HealthMetrics {
    private static final String CODE = "code";

    private final Counter healthz;
    private final Counter livez;

    /** No check was answered yet. */
    public HealthMetrics(PrometheusRegistry registry) {
        Definitions define = new Definitions(registry);
        healthz = define.counter("kubeproxy_proxy_healthz_total", "Cumulative proxy healthz HTTP status", CODE);
        livez = define.counter("kubeproxy_proxy_livez_total", "Cumulative proxy livez HTTP status", CODE);
    }

    /** {@code /healthz} was answered. */
    public void healthz(int code) {
        healthz.labelValues(Integer.toString(code)).inc();
    }

    /** {@code /livez} was answered. */
    public void livez(int code) {
        livez.labelValues(Integer.toString(code)).inc();
    }
}
