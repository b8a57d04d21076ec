package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.OwnedChains;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.proxy.userspace.portals.RedirectedPorts.Port;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The rules of iptables that let clients of node ports through a firewall that drops: one for each port of the relay,
 * and all TCP portals share a port. Chain, hook and rule are those of kube-proxy 1.20's userspace mode
 * ({@code pkg/proxy/userspace/proxier.go}), which has a rule for each portal.
 */
public final class NodePortRules {
    private static final String NON_LOCAL = "KUBE-NODEPORT-NON-LOCAL";

    /**
     * The chains of userspace mode that may be found. Only the first is still written. The others lead to relays of
     * kube-proxy, or of earlier versions of Nodepath; the last one is only from the latter.
     */
    public static final OwnedChains OWNED = new OwnedChains(
            Set.of(
                    NON_LOCAL,
                    "KUBE-PORTALS-CONTAINER",
                    "KUBE-PORTALS-HOST",
                    "KUBE-NODEPORT-CONTAINER",
                    "KUBE-NODEPORT-HOST",
                    "KUBE-PORTALS-REJECT"),
            Set.of());

    private static final Hook HOOK = new Hook(
            Table.FILTER,
            "INPUT",
            Hook.Position.FIRST,
            Rule.of(new Target.Jump(NON_LOCAL), new Match.Comment("Ensure that non-local NodePort traffic can flow")));

    /** The relay's port of each portal that has a node port and endpoints for it. */
    private final Map<Portal.Key, Port> open = new HashMap<>();

    /** The number of portals that share a port. */
    private final Map<Port, Integer> users = new HashMap<>();

    /** All rules for these portals. */
    RuleSet all(PortalPorts ports, Collection<Portal> portals) {
        open.clear();
        users.clear();
        Map<String, RuleGroup> groups = new LinkedHashMap<>();
        for (Portal portal : portals) {
            port(ports, portal).ifPresent(port -> {
                open.put(portal.key(), port);
                users.merge(port, 1, Integer::sum);
                groups.put(name(port), group(port));
            });
        }
        return new RuleSet(Map.of(Table.FILTER, new TreeMap<>(Map.of(NON_LOCAL, List.of()))), List.of(HOOK), groups);
    }

    /** The rules that are added and removed when portals change, by name. */
    Map<String, Optional<RuleGroup>> update(PortalPorts ports, List<PortalChange> changes) {
        Map<Port, Boolean> stood = new HashMap<>();
        for (PortalChange change : changes) {
            Optional<Port> before = Optional.ofNullable(open.remove(change.key()));
            Optional<Port> after = Optional.ofNullable(change.after()).flatMap(portal -> port(ports, portal));
            before.ifPresent(port -> use(port, -1, stood));
            after.ifPresent(port -> {
                use(port, 1, stood);
                open.put(change.key(), port);
            });
        }
        Map<String, Optional<RuleGroup>> groups = new HashMap<>();
        stood.forEach((port, before) -> {
            boolean stands = users.containsKey(port);
            if (stands != before) {
                groups.put(name(port), stands ? Optional.of(group(port)) : Optional.empty());
            }
        });
        return groups;
    }

    private void use(Port port, int change, Map<Port, Boolean> stood) {
        stood.computeIfAbsent(port, users::containsKey);
        users.merge(port, change, (old, more) -> old + more == 0 ? null : old + more);
    }

    private static Optional<Port> port(PortalPorts ports, Portal portal) {
        int port = ports.of(portal, ServiceEntry.EXTERNAL);
        return portal.nodePort() != 0 && portal.serves(ServiceEntry.EXTERNAL) && port != 0
                ? Optional.of(new Port(portal.protocol(), port))
                : Optional.empty();
    }

    private static String name(Port port) {
        return port.protocol() + " " + port.number();
    }

    private static RuleGroup group(Port port) {
        Rule accept = Rule.of(
                Target.Verdict.ACCEPT,
                new Match.Comment("service NodePorts"),
                new Match.Protocol(port.protocol().lowerCase()),
                new Match.DestinationPort(port.number()),
                new Match.ConnectionState(List.of(Match.ConnectionState.State.NEW), false));
        return new RuleGroup(Map.of(), List.of(new RuleGroup.Entry(Table.FILTER, NON_LOCAL, accept)));
    }
}
