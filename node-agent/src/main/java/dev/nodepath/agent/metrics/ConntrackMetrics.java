package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.sync.BypassCleaner;
import dev.nodepath.endpoints.sync.ConntrackCleanerListener;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;

/** The removed conntrack flows, by family. */
public final class ConntrackMetrics implements ConntrackCleanerListener, BypassCleaner.Listener {
    private final Histogram duration;
    private final Counter deleted;
    private final Counter failures;

    /** Nothing was removed yet. */
    public ConntrackMetrics(PrometheusRegistry registry, List<IpFamily> families) {
        Definitions define = new Definitions(registry);
        duration = define.histogram(
                "kubeproxy_conntrack_reconciler_sync_duration_seconds",
                "ReconcileConntrackFlowsLatency latency in seconds",
                Buckets.SYNC);
        deleted = define.counter(
                "kubeproxy_conntrack_reconciler_deleted_entries_total",
                "Cumulative conntrack flows deleted by conntrack reconciler",
                Definitions.FAMILY);
        failures = define.counter(
                "nodepath_conntrack_failures_total",
                "Times that stale flows could not be looked for or removed",
                Definitions.FAMILY);
        for (IpFamily family : families) {
            deleted.initLabelValues(family.toString());
            failures.initLabelValues(family.toString());
        }
    }

    @Override
    public void cleaned(IpFamily family, int removed, Duration took) {
        duration.labelValues(family.toString()).observe(Seconds.of(took));
        deleted.labelValues(family.toString()).inc(removed);
    }

    @Override
    public void failed(IpFamily family) {
        failures.labelValues(family.toString()).inc();
    }
}
