package dev.nodepath.agent.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Consumer;

/** Registers metrics of one registry. */
final class Definitions {
    private final PrometheusRegistry registry;

    Definitions(PrometheusRegistry registry) {
        this.registry = registry;
    }

    /** Kubernetes writes the stability of a metric into its help; ours are not Kubernetes'. */
    static String help(String name, String help) {
        return name.startsWith("kubeproxy_") ? "[ALPHA] " + help : help;
    }

    Histogram histogram(String name, String help, double[] bounds) {
        return Histogram.builder()
                .name(name)
                .help(help(name, help))
                .labelNames("ip_family")
                .classicOnly()
                .classicUpperBounds(bounds)
                .register(registry);
    }

    Gauge gauge(String name, String help, String... labels) {
        return Gauge.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels)
                .register(registry);
    }

    Counter counter(String name, String help, String... labels) {
        return Counter.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels)
                .register(registry);
    }

    void gauge(String name, String help, List<String> labels, Consumer<GaugeWithCallback.Callback> values) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels.toArray(String[]::new))
                .callback(values)
                .register(registry);
    }
}
