package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.nftables.TableSize;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The tables of the nftables mode and how they are written, by family. */
public final class TableMetrics {
    private final List<IpFamily> families;
    private final Function<IpFamily, RuleSyncStats<TableSize>> stats;
    private final SyncDurations durations;

    /**
     * Metrics of a proxy that starts.
     *
     * @param families the served families
     * @param stats the results of the proxy so far
     */
    public TableMetrics(
            PrometheusRegistry registry, List<IpFamily> families, Function<IpFamily, RuleSyncStats<TableSize>> stats) {
        this.families = List.copyOf(families);
        this.stats = stats;
        Definitions define = new Definitions(registry);
        durations = new SyncDurations(define, families, stats::apply);
        define.counted(
                "kubeproxy_sync_proxy_rules_nftables_sync_failures_total",
                "Cumulative proxy nftables sync failures",
                each(count -> count.fullFailures() + count.partialFailures()),
                Definitions.FAMILY);
        define.counted(
                "kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total",
                "Cumulative proxy nftables cleanup failures",
                each(count -> count.size().cleanupFailures()),
                Definitions.FAMILY);
        define.counted(
                "nodepath_rule_repairs_total",
                "Times that rules changed by other programs were repaired",
                each(RuleSyncStats::repairs),
                Definitions.FAMILY);
        gauge(
                define,
                "nodepath_nftables_chains",
                "Chains in force",
                count -> count.size().chains());
        gauge(
                define,
                "nodepath_nftables_elements",
                "Elements of sets and maps in force",
                count -> count.size().elements());
        gauge(
                define,
                "nodepath_refused_service_ports",
                "Service ports without rules because the kernel refused them",
                RuleSyncStats::refusedServicePorts);
    }

    /** The times of its syncs. */
    public SyncDurations durations() {
        return durations;
    }

    private void gauge(Definitions define, String name, String help, ToLongFunction<RuleSyncStats<TableSize>> value) {
        define.gauge(
                name,
                help,
                callback -> families.forEach(
                        family -> callback.call((double) value.applyAsLong(stats.apply(family)), family.toString())),
                Definitions.FAMILY);
    }

    private Consumer<CounterWithCallback.Callback> each(ToLongFunction<RuleSyncStats<TableSize>> count) {
        return callback -> families.forEach(
                family -> callback.call((double) count.applyAsLong(stats.apply(family)), family.toString()));
    }
}
