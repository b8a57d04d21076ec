package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.iptables.CountedPackets;
import dev.nodepath.proxy.iptables.RuleCounts;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The rules of the iptables mode and how they are written, by family. */
public final class RuleMetrics {
    private final List<IpFamily> families;
    private final Function<IpFamily, RuleSyncStats<RuleCounts>> stats;
    private final SyncDurations durations;

    /**
     * Registers the metrics of a proxy's rules.
     *
     * @param families the families that the proxy serves
     * @param stats the proxy's counts of its work so far
     * @param packets the packets that the rules have counted
     */
    public RuleMetrics(
            PrometheusRegistry registry,
            List<IpFamily> families,
            Function<IpFamily, RuleSyncStats<RuleCounts>> stats,
            Function<CountedPackets, OptionalLong> packets) {
        this.families = List.copyOf(families);
        this.stats = stats;
        Definitions define = new Definitions(registry);
        durations = new SyncDurations(define, families, stats::apply);
        counters(define);
        define.counted(
                "kubeproxy_iptables_ct_state_invalid_dropped_packets_total",
                "packets dropped by iptables to work around conntrack problems",
                counted(packets, CountedPackets.INVALID_DROPPED));
        define.counted(
                "kubeproxy_iptables_localhost_nodeports_accepted_packets_total",
                "Number of packets accepted on nodeports of loopback interface",
                counted(packets, CountedPackets.LOCALHOST_NODE_PORTS));
        rules(
                define,
                "kubeproxy_sync_proxy_rules_iptables_total",
                "Total number of iptables rules owned by kube-proxy",
                RuleCounts::rules);
        rules(
                define,
                "kubeproxy_sync_proxy_rules_iptables_last",
                "Number of iptables rules written by kube-proxy in last sync",
                RuleCounts::written);
        define.gauge(
                "nodepath_refused_service_ports",
                "Service ports without rules because the kernel refused them",
                callback -> this.families.forEach(
                        family -> callback.call(stats.apply(family).refusedServicePorts(), family.toString())),
                Definitions.FAMILY);
    }

    private void rules(
            Definitions define, String name, String help, Function<RuleCounts, Map<Table, Integer>> byTable) {
        define.gauge(
                name,
                help,
                callback -> families.forEach(
                        family -> byTable.apply(stats.apply(family).size())
                                .forEach((table, count) -> callback.call(count, family.toString(), table.toString()))),
                Definitions.FAMILY,
                "table");
    }

    private void counters(Definitions define) {
        define.counted(
                "kubeproxy_sync_proxy_rules_iptables_restore_failures_total",
                "Cumulative proxy iptables restore failures",
                each(count -> count.fullFailures() + count.partialFailures()),
                Definitions.FAMILY);
        define.counted(
                "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total",
                "Cumulative proxy iptables partial restore failures",
                each(RuleSyncStats::partialFailures),
                Definitions.FAMILY);
        define.counted(
                "nodepath_rule_repairs_total",
                "Repairs of rules that other programs had changed",
                each(RuleSyncStats::repairs),
                Definitions.FAMILY);
    }

    /** The durations of its syncs. */
    public SyncDurations durations() {
        return durations;
    }

    private static Consumer<CounterWithCallback.Callback> counted(
            Function<CountedPackets, OptionalLong> packets, CountedPackets counted) {
        return callback -> packets.apply(counted).ifPresent(callback::call);
    }

    private Consumer<CounterWithCallback.Callback> each(ToLongFunction<RuleSyncStats<RuleCounts>> count) {
        return callback -> families.forEach(
                family -> callback.call((double) count.applyAsLong(stats.apply(family)), family.toString()));
    }
}
