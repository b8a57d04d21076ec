package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceReach;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Makes the rule set of one address family from a snapshot, with one group for each service port. The same snapshot
 * always gives the same rules, in the order of the service ports' names.
 *
 * <p>{@link Frame} has the fixed rules, {@link ServiceFrontends} the rules that recognise a Service, and {@link
 * ServiceChains} the chains behind them.
 */
public final class IptablesRules {
    private IptablesRules() {}

    /** The rules of one family for a snapshot. A Service without a cluster IP of that family has none. */
    public static RuleSet of(ServiceSnapshot snapshot, IptablesConfig config, IpFamily family) {
        ManyLimit endpoints = IptablesWriter.endpoints(family);
        endpoints.recount(snapshot);
        return of(snapshot, RuleContext.of(snapshot, config, family, endpoints.isExceeded()));
    }

    private static RuleSet of(ServiceSnapshot snapshot, RuleContext context) {
        return of(snapshot, context, name -> group(snapshot, context, name));
    }

    /**
     * The same, but the caller provides the rules of each service port.
     *
     * @param rules called by several threads at once
     */
    static RuleSet of(
            ServiceSnapshot snapshot, RuleContext context, Function<ServicePortName, Optional<RuleGroup>> rules) {
        List<Map.Entry<String, RuleGroup>> inOrder = List.copyOf(
                        snapshot.services().keySet())
                .parallelStream()
                .flatMap(name -> rules.apply(name).map(group -> Map.entry(name.withProtocol(), group)).stream())
                .toList();
        Map<String, RuleGroup> groups = new LinkedHashMap<>();
        inOrder.forEach(group -> groups.put(group.getKey(), group.getValue()));
        return new RuleSet(frame(context), Frame.hooks(), groups);
    }

    /** The rules of one service port; none if there is no such port, or it has no cluster IP of the family. */
    static Optional<RuleGroup> group(ServiceSnapshot snapshot, RuleContext context, ServicePortName name) {
        ServicePort service = snapshot.services().get(name);
        IpFamily family = context.family();
        if (service == null || service.clusterIps(family).isEmpty()) {
            return Optional.empty();
        }
        ServicePlan plan = new ServicePlan(ServiceReach.of(
                snapshot, service, family, context.config().common().nodeName()));
        SortedMap<String, List<Rule>> chains = new TreeMap<>();
        new ServiceChains(context, plan).addTo(chains);
        return Optional.of(new RuleGroup(Map.of(Table.NAT, chains), entries(new ServiceFrontends(context, plan))));
    }

    private static List<RuleGroup.Entry> entries(ServiceFrontends frontends) {
        List<RuleGroup.Entry> entries = new ArrayList<>();
        add(entries, Table.NAT, Chains.SERVICES, frontends.addresses());
        add(entries, Table.NAT, Chains.NODE_PORTS, frontends.nodePort());
        add(entries, Table.FILTER, Chains.SERVICES, frontends.refusedClusterIps());
        add(entries, Table.FILTER, Chains.EXTERNAL_SERVICES, frontends.refusedExternals());
        add(entries, Table.FILTER, Chains.PROXY_FIREWALL, frontends.firewalled());
        add(entries, Table.FILTER, Chains.NODE_PORTS, frontends.healthCheck());
        return entries;
    }

    private static void add(List<RuleGroup.Entry> entries, Table table, String chain, List<Rule> rules) {
        rules.forEach(rule -> entries.add(new RuleGroup.Entry(table, chain, rule)));
    }

    private static Map<Table, SortedMap<String, List<Rule>>> frame(RuleContext context) {
        Frame scaffold = new Frame(context);
        SortedMap<String, List<Rule>> filter = new TreeMap<>();
        filter.put(Chains.SERVICES, List.of());
        filter.put(Chains.EXTERNAL_SERVICES, List.of());
        filter.put(Chains.NODE_PORTS, List.of());
        filter.put(Chains.PROXY_FIREWALL, List.of());
        filter.put(Chains.FORWARD, List.copyOf(scaffold.forward()));
        filter.put(Chains.FIREWALL, scaffold.firewall());

        SortedMap<String, List<Rule>> nat = new TreeMap<>();
        nat.put(Chains.SERVICES, List.copyOf(scaffold.nodePorts()));
        nat.put(Chains.NODE_PORTS, List.of());
        nat.put(Chains.MARK_MASQ, scaffold.markMasquerade());
        nat.put(Chains.POSTROUTING, scaffold.postrouting());
        return Map.of(Table.FILTER, filter, Table.NAT, nat);
    }
}
