package dev.nodepath.agent.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Consumer;

/** Registers metrics of one registry. */
final class Definitions {
    static final String FAMILY = "ip_family";

    private final PrometheusRegistry registry;

    Definitions(PrometheusRegistry registry) {
        this.registry = registry;
    }

    /** A histogram by address family. */
    Histogram histogram(String name, String help, double[] bounds) {
        return histogram(name, help, bounds, FAMILY);
    }

    Histogram histogram(String name, String help, double[] bounds, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(bounds)
                .register(registry);
    }

    Counter counter(String name, String help, String... labels) {
        return Counter.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels)
                .register(registry);
    }

    /** A counter with values from elsewhere; the consumer gets a function that sets the value for some labels. */
    void counted(String name, String help, Consumer<CounterWithCallback.Callback> values, String... labels) {
        CounterWithCallback.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    /** A gauge with a value from elsewhere. */
    void gauge(String name, String help, Consumer<GaugeWithCallback.Callback> values, String... labels) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help(name, help))
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    /** Kubernetes puts a metric's stability into its help; our metrics have none. */
    private static String help(String name, String help) {
        return name.startsWith("kubeproxy_") || name.startsWith("rest_client_") ? "[ALPHA] " + help : help;
    }
}
