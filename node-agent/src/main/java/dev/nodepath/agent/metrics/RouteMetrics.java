package dev.nodepath.agent.metrics;

import dev.nodepath.agent.routes.RouteStatus;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The routes to the pods of other nodes. */
public final class RouteMetrics {
    private RouteMetrics() {}

    /**
     * Adds them to a registry.
     *
     * @param status empty while no routes are kept; there are no values then
     */
    public static void register(PrometheusRegistry registry, Supplier<Optional<RouteStatus>> status) {
        Definitions define = new Definitions(registry);
        gauge(
                define,
                "nodepath_routes_wanted",
                "podCIDRs of other nodes that need a route",
                status,
                RouteStatus::wanted);
        gauge(
                define,
                "nodepath_routes_standing",
                "podCIDRs of other nodes that have a route",
                status,
                RouteStatus::standing);
        gauge(
                define,
                "nodepath_routes_problems",
                "Problems of routes that a person has to solve before all pods can be reached",
                status,
                now -> now.problems().size());
        counter(
                define,
                "nodepath_routes_syncs_total",
                "Syncs of the routes to other nodes' pods",
                status,
                RouteStatus::syncs);
        counter(
                define,
                "nodepath_routes_sync_failures_total",
                "Syncs of the routes to other nodes' pods that failed with an error of the kernel",
                status,
                RouteStatus::failures);
        counter(
                define,
                "nodepath_routes_changes_total",
                "Routes, neighbours and forwarding entries that were added, changed or removed",
                status,
                RouteStatus::changes);
    }

    private static void gauge(
            Definitions define,
            String name,
            String help,
            Supplier<Optional<RouteStatus>> status,
            ToDoubleFunction<RouteStatus> value) {
        define.gauge(name, help, callback -> status.get().ifPresent(now -> callback.call(value.applyAsDouble(now))));
    }

    private static void counter(
            Definitions define,
            String name,
            String help,
            Supplier<Optional<RouteStatus>> status,
            ToDoubleFunction<RouteStatus> value) {
        define.counted(name, help, callback -> status.get().ifPresent(now -> callback.call(value.applyAsDouble(now))));
    }
}
