package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.Hook.Position;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Match.ConnectionState;
import dev.nodepath.linux.iptables.Match.DestinationLocal;
import dev.nodepath.linux.iptables.Match.DestinationPort;
import dev.nodepath.linux.iptables.OwnedChains;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules that redirect the traffic of Services to the relay. Chains and hooks are those of kube-proxy 1.20's
 * userspace mode ({@code pkg/proxy/userspace/proxier.go}), with three differences. All TCP service ports share one
 * listening port. External IPs are redirected from every source, as in iptables mode. A service port without endpoints
 * has no portal: a chain of our own rejects its clients. A rule depends on the Service and on whether endpoints exist,
 * not on which ones.
 */
public final class PortalRules {
    static final String PORTALS_CONTAINER = "KUBE-PORTALS-CONTAINER";
    static final String PORTALS_HOST = "KUBE-PORTALS-HOST";
    static final String NODEPORT_CONTAINER = "KUBE-NODEPORT-CONTAINER";
    static final String NODEPORT_HOST = "KUBE-NODEPORT-HOST";
    static final String NODEPORT_NON_LOCAL = "KUBE-NODEPORT-NON-LOCAL";
    static final String PORTALS_REJECT = "KUBE-PORTALS-REJECT";

    /** All chains of the mode, in all tables. */
    static final Set<String> CHAINS = Set.of(
            PORTALS_CONTAINER, PORTALS_HOST, NODEPORT_CONTAINER, NODEPORT_HOST, NODEPORT_NON_LOCAL, PORTALS_REJECT);

    /** The chains that a rule applier may change. */
    public static final OwnedChains OWNED = new OwnedChains(CHAINS, Set.of());

    /** The group of the rule that all TCP portals with a node port share. No service port has this name. */
    static final String NODE_PORTS = "node-ports";

    private static final Match NEW = new ConnectionState(List.of(ConnectionState.State.NEW), false);
    private static final Match NOT_TRANSLATED = new ConnectionState(List.of(ConnectionState.State.DNAT), true);
    private static final Match LOCAL = new DestinationLocal();

    private final ProxyAddress proxy;
    private final PortalPorts ports;
    private final int tcpPort;

    /** The matches of the addresses that serve node ports. Each gives a rule or hook. */
    private final List<List<Match>> nodePortAddresses;

    /** The rules of one family. */
    PortalRules(PortalLayout layout) {
        List<Cidr> nodePortNetworks = layout.nodePortNetworks();
        this.proxy = layout.proxy();
        this.ports = layout.ports();
        this.tcpPort = layout.tcpPort();
        this.nodePortAddresses = nodePortNetworks.isEmpty()
                ? List.of(List.of(LOCAL))
                : nodePortNetworks.stream()
                        .map(network -> List.of(LOCAL, new Match.Destination(network, false)))
                        .toList();
    }

    /** The whole rule set of the portals of one family, each portal a group of it. */
    RuleSet all(Collection<Portal> portals) {
        Map<String, RuleGroup> groups = new LinkedHashMap<>();
        portals.forEach(portal -> groups.put(portal.name().toString(), group(portal)));
        if (portals.stream().anyMatch(this::needsNodePorts)) {
            groups.put(NODE_PORTS, nodePorts());
        }
        return new RuleSet(frame(), hooks(), groups);
    }

    RuleGroup group(Portal portal) {
        return new RuleGroup(Map.of(), entries(portal));
    }

    /** The rules that let clients of node ports through a firewall that drops, and nothing else. */
    RuleSet accepting(Collection<Portal> portals) {
        Map<String, RuleGroup> groups = new LinkedHashMap<>();
        portals.forEach(portal ->
                accepting(portal).ifPresent(group -> groups.put(portal.name().toString(), group)));
        if (portals.stream().anyMatch(this::needsNodePorts)) {
            groups.put(NODE_PORTS, nodePorts());
        }
        SortedMap<String, List<Rule>> filter = new TreeMap<>(Map.of(NODEPORT_NON_LOCAL, List.of()));
        return new RuleSet(Map.of(Table.FILTER, filter), List.of(nonLocal()), groups);
    }

    /** Such a rule of a portal's own; empty if it needs none, or shares that of {@link #NODE_PORTS}. */
    Optional<RuleGroup> accepting(Portal portal) {
        int port = ports.of(portal, ServiceEntry.EXTERNAL);
        boolean own = portal.protocol() == Protocol.UDP
                && portal.nodePort() != 0
                && portal.serves(ServiceEntry.EXTERNAL)
                && port != 0;
        return own ? Optional.of(new RuleGroup(Map.of(), List.of(accept(Protocol.UDP, port)))) : Optional.empty();
    }

    /** Whether the portal needs the group {@link #NODE_PORTS}. */
    boolean needsNodePorts(Portal portal) {
        return portal.protocol() == Protocol.TCP
                && portal.nodePort() != 0
                && portal.serves(ServiceEntry.EXTERNAL)
                && ports.of(portal, ServiceEntry.EXTERNAL) != 0;
    }

    /**
     * One rule for all TCP portals with a node port, because they share a port of the relay. kube-proxy has one rule
     * for each. A UDP portal has a port, and so a rule, of its own.
     */
    RuleGroup nodePorts() {
        return new RuleGroup(Map.of(), List.of(accept(Protocol.TCP, tcpPort)));
    }

    private List<RuleGroup.Entry> entries(Portal portal) {
        List<RuleGroup.Entry> entries = new ArrayList<>();
        for (ServiceEntry entry : ServiceEntry.values()) {
            int port = ports.of(portal, entry);
            if (portal.serves(entry) && port != 0) {
                entries.addAll(lead(portal, entry, port));
                if (entry == ServiceEntry.EXTERNAL && portal.nodePort() != 0 && portal.protocol() == Protocol.UDP) {
                    entries.add(accept(Protocol.UDP, port));
                }
            } else {
                entries.addAll(refuse(portal, entry));
            }
        }
        return entries;
    }

    private List<RuleGroup.Entry> lead(Portal portal, ServiceEntry entry, int port) {
        Comment comment = new Comment(portal.name().toString());
        List<RuleGroup.Entry> entries = new ArrayList<>();
        for (IpAddress address : portal.addresses(entry)) {
            entries.add(nat(PORTALS_CONTAINER, rule(comment, portal, address, proxy.fromLinks(port))));
            entries.add(nat(PORTALS_HOST, rule(comment, portal, address, proxy.fromHost(port))));
        }
        if (entry == ServiceEntry.EXTERNAL && portal.nodePort() != 0) {
            Match nodePort = new DestinationPort(portal.nodePort());
            entries.add(nat(NODEPORT_CONTAINER, Rule.of(proxy.fromLinks(port), comment, protocol(portal), nodePort)));
            entries.add(nat(NODEPORT_HOST, Rule.of(proxy.fromHost(port), comment, protocol(portal), nodePort)));
        }
        return entries;
    }

    private static RuleGroup.Entry accept(Protocol protocol, int port) {
        Rule rule = Rule.of(
                Verdict.ACCEPT,
                new Comment("service NodePorts"),
                new Match.Protocol(protocol.lowerCase()),
                new DestinationPort(port),
                NEW);
        return new RuleGroup.Entry(Table.FILTER, NODEPORT_NON_LOCAL, rule);
    }

    private List<RuleGroup.Entry> refuse(Portal portal, ServiceEntry entry) {
        Comment comment = new Comment(portal.name() + " has no endpoints");
        List<RuleGroup.Entry> entries = new ArrayList<>();
        for (IpAddress address : portal.addresses(entry)) {
            entries.add(rejection(rule(comment, portal, address, Verdict.REJECT)));
        }
        if (entry == ServiceEntry.EXTERNAL && portal.nodePort() != 0) {
            // The relay's own port may have this number. Redirected packets are translated already.
            for (List<Match> addresses : nodePortAddresses) {
                List<Match> matches = new ArrayList<>(List.of(comment, NOT_TRANSLATED));
                matches.addAll(addresses);
                matches.addAll(List.of(protocol(portal), new DestinationPort(portal.nodePort())));
                entries.add(rejection(Rule.of(Verdict.REJECT, matches.toArray(Match[]::new))));
            }
        }
        return entries;
    }

    private static RuleGroup.Entry nat(String chain, Rule rule) {
        return new RuleGroup.Entry(Table.NAT, chain, rule);
    }

    private static RuleGroup.Entry rejection(Rule rule) {
        return new RuleGroup.Entry(Table.FILTER, PORTALS_REJECT, rule);
    }

    private static Match protocol(Portal portal) {
        return new Match.Protocol(portal.protocol().lowerCase());
    }

    private static Rule rule(Comment comment, Portal portal, IpAddress address, Target target) {
        return Rule.of(
                target,
                comment,
                protocol(portal),
                new Match.Destination(Cidr.single(address), false),
                new DestinationPort(portal.service().port()));
    }

    private static Map<Table, SortedMap<String, List<Rule>>> frame() {
        SortedMap<String, List<Rule>> nat = new TreeMap<>();
        nat.put(PORTALS_CONTAINER, List.of());
        nat.put(PORTALS_HOST, List.of());
        nat.put(NODEPORT_CONTAINER, List.of());
        nat.put(NODEPORT_HOST, List.of());
        SortedMap<String, List<Rule>> filter = new TreeMap<>();
        filter.put(NODEPORT_NON_LOCAL, List.of());
        filter.put(PORTALS_REJECT, List.of());
        return Map.of(Table.NAT, nat, Table.FILTER, filter);
    }

    private List<Hook> hooks() {
        Match clusterIps = new Comment("handle ClusterIPs; NOTE: this must be before the NodePort rules");
        Match refused = new Comment("refuse Services without endpoints");
        List<Hook> hooks = new ArrayList<>();
        hooks.add(hook(Table.NAT, "PREROUTING", Position.FIRST, PORTALS_CONTAINER, clusterIps));
        hooks.add(hook(Table.NAT, "OUTPUT", Position.FIRST, PORTALS_HOST, clusterIps));
        nodePortHooks("PREROUTING", NODEPORT_CONTAINER, hooks);
        nodePortHooks("OUTPUT", NODEPORT_HOST, hooks);
        hooks.add(nonLocal());
        for (String builtin : List.of("INPUT", "FORWARD", "OUTPUT")) {
            hooks.add(hook(Table.FILTER, builtin, Position.FIRST, PORTALS_REJECT, NEW, refused));
        }
        return hooks;
    }

    private static Hook nonLocal() {
        Match comment = new Comment("Ensure that non-local NodePort traffic can flow");
        return hook(Table.FILTER, "INPUT", Position.FIRST, NODEPORT_NON_LOCAL, comment);
    }

    private void nodePortHooks(String builtin, String chain, List<Hook> hooks) {
        for (List<Match> addresses : nodePortAddresses) {
            List<Match> matches = new ArrayList<>(addresses);
            matches.add(new Comment("handle service NodePorts; NOTE: this must be the last rule in the chain"));
            hooks.add(hook(Table.NAT, builtin, Position.LAST, chain, matches.toArray(Match[]::new)));
        }
    }

    private static Hook hook(Table table, String builtin, Position position, String chain, Match... matches) {
        return new Hook(table, builtin, position, Rule.of(new Jump(chain), matches));
    }
}
