package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.Hook.Position;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Match.ConnectionState;
import dev.nodepath.linux.iptables.Match.DestinationLocal;
import dev.nodepath.linux.iptables.Match.DestinationPort;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules that lead the traffic of Services to the relay. Chains and hooks are those of kube-proxy 1.20's userspace
 * mode ({@code pkg/proxy/userspace/proxier.go}), with three differences: all service ports share one listening port,
 * external IPs are led from everywhere as in iptables mode, and a service port without endpoints has no portal but is
 * refused in a chain of our own. A rule depends on the Service and on whether it has endpoints, never on which.
 */
final class PortalRules {
    static final String PORTALS_CONTAINER = "KUBE-PORTALS-CONTAINER";
    static final String PORTALS_HOST = "KUBE-PORTALS-HOST";
    static final String NODEPORT_CONTAINER = "KUBE-NODEPORT-CONTAINER";
    static final String NODEPORT_HOST = "KUBE-NODEPORT-HOST";
    static final String NODEPORT_NON_LOCAL = "KUBE-NODEPORT-NON-LOCAL";
    static final String PORTALS_REJECT = "KUBE-PORTALS-REJECT";

    /** All chains of the mode, in whatever table. */
    static final Set<String> CHAINS = Set.of(
            PORTALS_CONTAINER, PORTALS_HOST, NODEPORT_CONTAINER, NODEPORT_HOST, NODEPORT_NON_LOCAL, PORTALS_REJECT);

    private static final Match TCP = new Match.Protocol("tcp");
    private static final Match NEW = new ConnectionState(List.of(ConnectionState.State.NEW), false);
    private static final Match NOT_TRANSLATED = new ConnectionState(List.of(ConnectionState.State.DNAT), true);
    private static final Match LOCAL = new DestinationLocal();

    private final ProxyAddress proxy;

    private PortalRules(ProxyAddress proxy) {
        this.proxy = proxy;
    }

    /** The whole rule set of a plan, each portal a group of it. */
    static RuleSet of(PortalPlan plan, ProxyAddress proxy) {
        PortalRules rules = new PortalRules(proxy);
        Map<String, RuleGroup> groups = new LinkedHashMap<>();
        boolean nodePorts = false;
        for (Portal portal : plan.portals()) {
            List<RuleGroup.Entry> entries = portal.hasEndpoints() ? rules.lead(portal) : rules.refuse(portal);
            groups.put(groupName(portal.key()), new RuleGroup(Map.of(), entries));
            nodePorts |= portal.hasEndpoints() && portal.nodePort() != 0;
        }
        return new RuleSet(rules.frame(nodePorts), hooks(), groups);
    }

    private static String groupName(Portal.Key key) {
        return key.name() + (key.externalOnly() ? " from outside" : "");
    }

    private List<RuleGroup.Entry> lead(Portal portal) {
        Comment comment = new Comment(portal.name().toString());
        List<RuleGroup.Entry> entries = new ArrayList<>();
        for (Destination destination : portal.addresses()) {
            entries.add(nat(PORTALS_CONTAINER, rule(comment, destination, proxy.fromLinks())));
            entries.add(nat(PORTALS_HOST, rule(comment, destination, proxy.fromHost())));
        }
        if (portal.nodePort() != 0) {
            Match port = new DestinationPort(portal.nodePort());
            entries.add(nat(NODEPORT_CONTAINER, Rule.of(proxy.fromLinks(), comment, TCP, port)));
            entries.add(nat(NODEPORT_HOST, Rule.of(proxy.fromHost(), comment, TCP, port)));
        }
        return entries;
    }

    private List<RuleGroup.Entry> refuse(Portal portal) {
        Comment comment = new Comment(portal.name() + " has no endpoints");
        List<RuleGroup.Entry> entries = new ArrayList<>();
        for (Destination destination : portal.addresses()) {
            entries.add(rejection(rule(comment, destination, Verdict.REJECT)));
        }
        if (portal.nodePort() != 0) {
            // The relay's own port may bear this number: what was led there is translated already.
            entries.add(rejection(Rule.of(
                    Verdict.REJECT, comment, NOT_TRANSLATED, LOCAL, TCP, new DestinationPort(portal.nodePort()))));
        }
        return entries;
    }

    private static RuleGroup.Entry nat(String chain, Rule rule) {
        return new RuleGroup.Entry(Table.NAT, chain, rule);
    }

    private static RuleGroup.Entry rejection(Rule rule) {
        return new RuleGroup.Entry(Table.FILTER, PORTALS_REJECT, rule);
    }

    private static Rule rule(Comment comment, Destination destination, Target target) {
        return Rule.of(
                target,
                comment,
                TCP,
                new Match.Destination(Cidr.single(destination.address()), false),
                new DestinationPort(destination.port()));
    }

    private Map<Table, SortedMap<String, List<Rule>>> frame(boolean nodePorts) {
        SortedMap<String, List<Rule>> nat = new TreeMap<>();
        nat.put(PORTALS_CONTAINER, List.of());
        nat.put(PORTALS_HOST, List.of());
        nat.put(NODEPORT_CONTAINER, List.of());
        nat.put(NODEPORT_HOST, List.of());
        SortedMap<String, List<Rule>> filter = new TreeMap<>();
        filter.put(NODEPORT_NON_LOCAL, nodePorts ? List.of(acceptNodePorts()) : List.of());
        filter.put(PORTALS_REJECT, List.of());
        return Map.of(Table.NAT, nat, Table.FILTER, filter);
    }

    /** One rule where kube-proxy has one for each NodePort, as they all share the relay's port. */
    private Rule acceptNodePorts() {
        return Rule.of(Verdict.ACCEPT, new Comment("service NodePorts"), TCP, new DestinationPort(proxy.port()), NEW);
    }

    private static List<Hook> hooks() {
        Match clusterIps = new Comment("handle ClusterIPs; NOTE: this must be before the NodePort rules");
        Match nodePorts = new Comment("handle service NodePorts; NOTE: this must be the last rule in the chain");
        Match nonLocal = new Comment("Ensure that non-local NodePort traffic can flow");
        Match refused = new Comment("refuse Services without endpoints");
        return List.of(
                hook(Table.NAT, "PREROUTING", Position.FIRST, PORTALS_CONTAINER, clusterIps),
                hook(Table.NAT, "OUTPUT", Position.FIRST, PORTALS_HOST, clusterIps),
                hook(Table.NAT, "PREROUTING", Position.LAST, NODEPORT_CONTAINER, LOCAL, nodePorts),
                hook(Table.NAT, "OUTPUT", Position.LAST, NODEPORT_HOST, LOCAL, nodePorts),
                hook(Table.FILTER, "INPUT", Position.FIRST, NODEPORT_NON_LOCAL, nonLocal),
                hook(Table.FILTER, "INPUT", Position.FIRST, PORTALS_REJECT, NEW, refused),
                hook(Table.FILTER, "FORWARD", Position.FIRST, PORTALS_REJECT, NEW, refused),
                hook(Table.FILTER, "OUTPUT", Position.FIRST, PORTALS_REJECT, NEW, refused));
    }

    private static Hook hook(Table table, String builtin, Position position, String chain, Match... matches) {
        return new Hook(table, builtin, position, Rule.of(new Jump(chain), matches));
    }
}
