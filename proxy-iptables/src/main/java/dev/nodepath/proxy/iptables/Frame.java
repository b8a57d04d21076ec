package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Match.ConnectionState;
import dev.nodepath.linux.iptables.Match.ConnectionState.State;
import dev.nodepath.linux.iptables.Match.Mark;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.ArrayList;
import java.util.List;

/** The rules that do not depend on Services: the hooks and the common chains. */
final class Frame {
    static final Cidr LOOPBACK_IPV4 = Cidr.parse("127.0.0.0/8");
    private static final Cidr LOOPBACK_IPV6 = Cidr.parse("::1/128");

    private static final Match NEW = new ConnectionState(List.of(State.NEW), false);
    private static final Match PORTALS = new Comment("kubernetes service portals");
    private static final Match EXTERNAL_PORTALS = new Comment("kubernetes externally-visible service portals");
    private static final Match LOAD_BALANCER = new Comment("kubernetes load balancer firewall");
    private static final Match HEALTH_CHECKS = new Comment("kubernetes health check service ports");
    private static final Match NODE_PORTS =
            new Comment("kubernetes service nodeports; NOTE: this must be the last rule in this chain");
    private static final Match FORWARDING = new Comment("kubernetes forwarding rules");

    /** The order in a built-in chain is the order after kube-proxy's first sync. */
    private static final List<Hook> HOOKS = List.of(
            hook(Table.FILTER, "INPUT", Chains.PROXY_FIREWALL, NEW, LOAD_BALANCER),
            hook(Table.FILTER, "INPUT", Chains.NODE_PORTS, HEALTH_CHECKS),
            hook(Table.FILTER, "INPUT", Chains.EXTERNAL_SERVICES, NEW, EXTERNAL_PORTALS),
            hook(Table.FILTER, "INPUT", Chains.FIREWALL),
            hook(Table.FILTER, "FORWARD", Chains.PROXY_FIREWALL, NEW, LOAD_BALANCER),
            hook(Table.FILTER, "FORWARD", Chains.FORWARD, FORWARDING),
            hook(Table.FILTER, "FORWARD", Chains.SERVICES, NEW, PORTALS),
            hook(Table.FILTER, "FORWARD", Chains.EXTERNAL_SERVICES, NEW, EXTERNAL_PORTALS),
            hook(Table.FILTER, "OUTPUT", Chains.PROXY_FIREWALL, NEW, LOAD_BALANCER),
            hook(Table.FILTER, "OUTPUT", Chains.SERVICES, NEW, PORTALS),
            hook(Table.FILTER, "OUTPUT", Chains.FIREWALL),
            hook(Table.NAT, "PREROUTING", Chains.SERVICES, PORTALS),
            hook(Table.NAT, "OUTPUT", Chains.SERVICES, PORTALS),
            hook(Table.NAT, "POSTROUTING", Chains.POSTROUTING, new Comment("kubernetes postrouting rules")));

    private final RuleContext context;
    private final IptablesConfig config;
    private final IpFamily family;

    Frame(RuleContext context) {
        this.context = context;
        this.config = context.config();
        this.family = context.family();
    }

    static List<Hook> hooks() {
        return HOOKS;
    }

    /** Must be the last rules of nat's {@link Chains#SERVICES}, so that no node port hides a cluster IP. */
    List<Rule> nodePorts() {
        if (context.nodePortsEverywhere()) {
            return List.of(nodePortsEverywhere());
        }
        return context.nodePortAddresses().stream()
                .map(address -> Rule.of(
                        new Jump(Chains.NODE_PORTS), NODE_PORTS, new Match.Destination(Cidr.single(address), false)))
                .toList();
    }

    private Rule nodePortsEverywhere() {
        List<Match> matches = new ArrayList<>();
        matches.add(NODE_PORTS);
        matches.add(new Match.DestinationLocal());
        if (family == IpFamily.IPV6) {
            // The kernel cannot route a connection to ::1 out of the node: there is no route_localnet for IPv6.
            matches.add(new Match.Destination(LOOPBACK_IPV6, true));
        } else if (!config.localhostNodePorts()) {
            matches.add(new Match.Destination(LOOPBACK_IPV4, true));
        }
        return new Rule(matches, new Jump(Chains.NODE_PORTS));
    }

    List<Rule> forward() {
        Match marked = new Mark(config.common().masqueradeMark(), false);
        List<Rule> rules = new ArrayList<>();
        if (config.dropInvalid()) {
            // A packet that conntrack does not know is not translated, and the client would reset the connection.
            Match invalid = new ConnectionState(List.of(State.INVALID), false);
            rules.add(
                    config.counters()
                            ? Rule.of(Verdict.DROP, invalid, CountedPackets.INVALID_DROPPED.match())
                            : Rule.of(Verdict.DROP, invalid));
        }
        rules.add(Rule.of(Verdict.ACCEPT, FORWARDING, marked));
        rules.add(Rule.of(
                Verdict.ACCEPT,
                new Comment("kubernetes forwarding conntrack rule"),
                new ConnectionState(List.of(State.RELATED, State.ESTABLISHED), false)));
        return rules;
    }

    /**
     * With {@code route_localnet} a neighbour could reach programs that listen on 127.0.0.1 (CVE-2020-8558). The rule
     * is always written: the kubelet keeps the same rule in this chain, and we must not remove it.
     */
    List<Rule> firewall() {
        if (family == IpFamily.IPV6) {
            return List.of();
        }
        return List.of(Rule.of(
                Verdict.DROP,
                new Comment("block incoming localnet connections"),
                new Match.Destination(LOOPBACK_IPV4, false),
                new Match.Source(LOOPBACK_IPV4, true),
                new ConnectionState(List.of(State.RELATED, State.ESTABLISHED, State.DNAT), true)));
    }

    List<Rule> markMasquerade() {
        return List.of(Rule.of(new Target.SetMark(config.common().masqueradeMark())));
    }

    List<Rule> postrouting() {
        int mark = config.common().masqueradeMark();
        return List.of(
                Rule.of(Verdict.RETURN, new Mark(mark, true)),
                // The mark is cleared, so that a packet is not masqueraded twice.
                Rule.of(new Target.FlipMark(mark)),
                Rule.of(
                        new Target.Masquerade(config.randomFully()),
                        new Comment("kubernetes service traffic requiring SNAT")));
    }

    private static Hook hook(Table table, String builtin, String chain, Match... matches) {
        return new Hook(table, builtin, Hook.Position.FIRST, Rule.of(new Jump(chain), matches));
    }
}
