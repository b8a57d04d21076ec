package dev.nodepath.agent.metrics;

import dev.nodepath.policy.PolicyTableStats;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Metrics of the enforcement of NetworkPolicies. The metrics of the state in force have no value until policies are in
 * force.
 */
public final class PolicyMetrics {
    private final Histogram sync;
    private final Counter failures;
    private final Counter ended;
    private volatile List<PolicyTableStats> tables = List.of();

    /** Adds them to a registry. */
    public PolicyMetrics(PrometheusRegistry registry) {
        Definitions define = new Definitions(registry);
        sync = define.histogram(
                "nodepath_policy_sync_duration_seconds",
                "How long it took to bring changes of NetworkPolicies, or of what they depend on, into force",
                Buckets.SYNC,
                new String[0]);
        failures = define.counter(
                "nodepath_policy_sync_failures_total", "Failed syncs and repairs of the tables of NetworkPolicies");
        ended = define.counter(
                "nodepath_policy_ended_connections_total",
                "Connections of before a change that NetworkPolicies refused and that were ended");
        define.counted(
                "nodepath_policy_repairs_total",
                "Times that tables of NetworkPolicies changed by other programs were repaired",
                callback -> tables.forEach(table ->
                        callback.call((double) table.repairs(), table.family().toString())),
                Definitions.FAMILY);
        define.counted(
                "nodepath_policy_dropped_packets_total",
                "Packets that NetworkPolicies have refused, by the direction that the policies are for",
                callback -> tables.forEach(table -> table.dropped()
                        .forEach((direction, count) -> callback.call(
                                (double) count,
                                direction.lowerCase(),
                                table.family().toString()))),
                "direction",
                Definitions.FAMILY);
        gauge(define, "nodepath_policy_chains", "Chains of NetworkPolicies in force", PolicyTableStats::chains);
        gauge(
                define,
                "nodepath_policy_elements",
                "Elements of sets and maps of NetworkPolicies in force",
                PolicyTableStats::elements);
        gauge(
                define,
                "nodepath_policy_refused_parts",
                "Policies and pods that are closed because the kernel refused a part of them",
                PolicyTableStats::refused);
    }

    private void gauge(Definitions define, String name, String help, ToLongFunction<PolicyTableStats> value) {
        define.gauge(
                name,
                help,
                callback -> tables.forEach(table -> callback.call(
                        (double) value.applyAsLong(table), table.family().toString())),
                Definitions.FAMILY);
    }

    /** A change is in force. */
    public void synced(Duration took) {
        sync.observe(Seconds.of(took));
    }

    /** A sync or a repair has failed. It is tried again. */
    public void failed() {
        failures.inc();
    }

    /** So many connections of before a change were ended. */
    public void ended(int connections) {
        ended.inc(connections);
    }

    /** Sets the state in force. */
    public void stands(List<PolicyTableStats> now) {
        tables = List.copyOf(now);
    }
}
