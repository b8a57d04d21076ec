package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.source.SourceStats;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Metrics of the source: lists, watches and events. */
public final class SourceMetrics {
    private static final String KIND = "kind";

    private SourceMetrics() {}

    /** Adds them to a registry. */
    public static void register(PrometheusRegistry registry, Supplier<SourceStats> stats) {
        Definitions define = new Definitions(registry);
        define.counted(
                "nodepath_source_skipped_objects_total",
                "Unusable objects and entries of objects that were skipped, by the field that is wrong",
                callback -> stats.get()
                        .skipped()
                        .forEach(skipped -> callback.call((double) skipped.count(), skipped.kind(), skipped.reason())),
                KIND,
                "reason");
        define.counted(
                "nodepath_source_lists_total",
                "Lists of all objects of a kind",
                callback -> stats.get().watches().forEach(watch -> callback.call((double) watch.lists(), watch.kind())),
                KIND);
        define.counted(
                "nodepath_source_watches_total",
                "Watches of a kind that were opened",
                callback ->
                        stats.get().watches().forEach(watch -> callback.call((double) watch.watches(), watch.kind())),
                KIND);
        define.counted(
                "nodepath_source_errors_total",
                "Failed lists and watches, by code: the HTTP status, network or unreadable",
                callback -> stats.get()
                        .watches()
                        .forEach(watch -> watch.errors()
                                .forEach((code, count) -> callback.call((double) count, watch.kind(), code))),
                KIND,
                "code");
        define.gauge(
                "nodepath_source_last_event_timestamp_seconds",
                "Time of the last event of a watch that added, changed or removed an object",
                times(stats, SourceStats.Watch::lastEvent),
                KIND);
        define.gauge(
                "nodepath_source_last_contact_timestamp_seconds",
                "Time of the last answer or event of the API server, bookmarks included",
                times(stats, SourceStats.Watch::lastContact),
                KIND);
    }

    private static Consumer<GaugeWithCallback.Callback> times(
            Supplier<SourceStats> stats, Function<SourceStats.Watch, Optional<Instant>> time) {
        return callback -> stats.get()
                .watches()
                .forEach(watch ->
                        time.apply(watch).ifPresent(moment -> callback.call(Seconds.of(moment), watch.kind())));
    }
}
