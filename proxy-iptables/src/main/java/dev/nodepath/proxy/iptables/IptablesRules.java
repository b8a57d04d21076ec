package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.EndpointSelection;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Services as a rule set of one address family. Pure: the same snapshot gives the same rules, in the order of the
 * service ports' names.
 *
 * <p>The fixed rules come from {@link Scaffold}, those that recognise a Service from {@link ServiceFrontends}, and the
 * chains behind them from {@link ServiceChains}.
 */
public final class IptablesRules {
    private final RuleContext context;
    private final SortedMap<String, List<Rule>> natChains = new TreeMap<>();
    private final List<Rule> addresses = new ArrayList<>();
    private final List<Rule> nodePorts = new ArrayList<>();
    private final List<Rule> refusedClusterIps = new ArrayList<>();
    private final List<Rule> refusedExternals = new ArrayList<>();
    private final List<Rule> firewalled = new ArrayList<>();
    private final List<Rule> healthChecks = new ArrayList<>();

    private IptablesRules(RuleContext context) {
        this.context = context;
    }

    /** The rules of one family for a snapshot. A Service without a cluster IP of that family has none. */
    public static RuleSet of(ServiceSnapshot snapshot, IptablesConfig config, IpFamily family) {
        IptablesRules rules = new IptablesRules(RuleContext.of(snapshot, config, family));
        for (ServicePort service : snapshot.services().values()) {
            if (!service.clusterIps(family).isEmpty()) {
                rules.add(new ServicePlan(
                        service, family, EndpointSelection.select(snapshot, service, family, config.nodeName())));
            }
        }
        return rules.withScaffold();
    }

    private void add(ServicePlan plan) {
        ServiceFrontends frontends = new ServiceFrontends(plan);
        addresses.addAll(frontends.addresses());
        nodePorts.addAll(frontends.nodePort());
        refusedClusterIps.addAll(frontends.refusedClusterIps());
        refusedExternals.addAll(frontends.refusedExternals());
        firewalled.addAll(frontends.firewalled());
        healthChecks.addAll(frontends.healthCheck());
        new ServiceChains(context, plan).addTo(natChains);
    }

    private RuleSet withScaffold() {
        Scaffold scaffold = new Scaffold(context);
        SortedMap<String, List<Rule>> filter = new TreeMap<>();
        filter.put(Chains.SERVICES, List.copyOf(refusedClusterIps));
        filter.put(Chains.EXTERNAL_SERVICES, List.copyOf(refusedExternals));
        filter.put(Chains.NODE_PORTS, List.copyOf(healthChecks));
        filter.put(Chains.PROXY_FIREWALL, List.copyOf(firewalled));
        filter.put(Chains.FORWARD, List.copyOf(scaffold.forward()));
        filter.put(Chains.FIREWALL, scaffold.firewall());

        addresses.addAll(scaffold.nodePorts());
        natChains.put(Chains.SERVICES, List.copyOf(addresses));
        natChains.put(Chains.NODE_PORTS, List.copyOf(nodePorts));
        natChains.put(Chains.MARK_MASQ, scaffold.markMasquerade());
        natChains.put(Chains.POSTROUTING, scaffold.postrouting());
        return new RuleSet(Map.of(Table.FILTER, filter, Table.NAT, natChains), Scaffold.hooks());
    }
}
