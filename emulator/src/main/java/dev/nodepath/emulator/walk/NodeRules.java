package dev.nodepath.emulator.walk;

import dev.nodepath.emulator.walk.Hop.Actor;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.sync.RuleConfig;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesRules;
import dev.nodepath.proxy.iptables.PacketTracer;
import dev.nodepath.proxy.nftables.NftablesConfig;
import dev.nodepath.proxy.nftables.NftablesProxy;
import dev.nodepath.proxy.nftables.TableTracer;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.PortalPlan;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The proxies' rules on each node, with the options of the emulator's agents. */
final class NodeRules {
    private final ClusterState cluster;
    private final NodePolicies policies;

    NodeRules(ClusterState cluster, NodePolicies policies) {
        this.cluster = cluster;
        this.policies = policies;
    }

    /** The effect of a node's proxy on a packet. */
    NodeVerdict pass(String node, TracedPacket packet) {
        IpFamily family = packet.destination().family();
        Set<IpAddress> own = own(node);
        return switch (cluster.mode(node)) {
            case IPTABLES -> {
                IptablesConfig config = IptablesConfig.DEFAULTS.with(draft -> configure(draft, node));
                yield verdict(
                        node, PacketTracer.trace(IptablesRules.of(cluster.snapshot(), config, family), packet, own));
            }
            case NFTABLES -> {
                NftablesConfig config = NftablesConfig.DEFAULTS.with(draft -> configure(draft, node));
                yield verdict(
                        node, TableTracer.trace(NftablesProxy.table(cluster.snapshot(), config, family), packet, own));
            }
            case USERSPACE -> inUserspace(node, packet);
        };
    }

    private Set<IpAddress> own(String node) {
        return cluster.ownAddresses(node);
    }

    private void configure(RuleConfig.Draft draft, String node) {
        draft.nodeName = node;
        draft.detectLocal = new DetectLocal.ClusterCidr(cluster.network().clusterCidrs());
    }

    private static NodeVerdict verdict(String node, Trace trace) {
        List<Hop> hops = trace.steps().stream().map(step -> Hop.of(node, step)).toList();
        return new NodeVerdict(hops, trace.outcomes(), false);
    }

    /** The table of portals redirects the connection to a relay of the proxy's process. */
    private NodeVerdict inUserspace(String node, TracedPacket packet) {
        for (Portal portal : PortalPlan.of(
                        cluster.snapshot(), node, packet.destination().family())
                .portals()) {
            Optional<ServiceEntry> entry = entry(node, portal, packet);
            if (entry.isPresent()) {
                return portal.serves(entry.get())
                        ? relayed(node, portal, entry.get(), packet)
                        : refused(node, portal, packet);
            }
        }
        return new NodeVerdict(
                List.of(),
                List.of(new Trace.Outcome(Trace.Verdict.UNTOUCHED, packet.destination(), packet.port(), 1, false)),
                false);
    }

    private Optional<ServiceEntry> entry(String node, Portal portal, TracedPacket packet) {
        if (portal.protocol() != packet.protocol()) {
            return Optional.empty();
        }
        for (ServiceEntry entry : ServiceEntry.values()) {
            if (portal.service().port() == packet.port()
                    && portal.addresses(entry).contains(packet.destination())) {
                return Optional.of(entry);
            }
        }
        boolean nodePort = portal.nodePort() == packet.port() && own(node).contains(packet.destination());
        return nodePort ? Optional.of(ServiceEntry.EXTERNAL) : Optional.empty();
    }

    private NodeVerdict relayed(String node, Portal portal, ServiceEntry entry, TracedPacket packet) {
        boolean nodePort = !portal.addresses(entry).contains(packet.destination());
        String relay = Hop.RELAY + node;
        Effect toRelay = new Effect.NewDestination(List.of(relay));
        Hop.Rewrite redirect = (now, seen) -> new Hop.Addresses(now.source(), relay);
        if (cluster.proxies().ended().contains(node)) {
            Hop nobody = Hop.of(
                    node,
                    Actor.PROXY_RULE,
                    wayIn(nodePort) + " leads to the port of a relay that has ended with its process. Nobody"
                            + " listens there, so the node refuses it.",
                    toRelay,
                    redirect);
            return new NodeVerdict(List.of(nobody), List.of(rejection(packet)), false);
        }
        Hop redirected = Hop.of(
                node,
                Actor.PROXY_RULE,
                wayIn(nodePort) + " leads connections to " + portal.name()
                        + " to the port of the relay in the proxy's process.",
                toRelay,
                redirect);
        List<Endpoint> pool = pool(node, portal, entry, packet.source());
        List<Endpoint> endpoints = new ArrayList<>();
        List<Hop> hops = new ArrayList<>(List.of(redirected));
        for (Endpoint endpoint : pool) {
            List<Hop> asked = asked(node, packet, endpoint);
            if (NodePolicies.refuse(asked)) {
                hops.addAll(asked);
            } else {
                endpoints.add(endpoint);
            }
        }
        if (endpoints.isEmpty() && !pool.isEmpty()) {
            return leftOut(node, packet, hops);
        } else if (endpoints.isEmpty()) {
            Hop closed = Hop.of(
                    node,
                    Actor.RELAY,
                    "The relay takes the connection, has no endpoint for this client and closes it at once.");
            return new NodeVerdict(List.of(redirected, closed), List.of(rejection(packet)), false);
        }
        hops.add(Hop.of(
                node,
                Actor.RELAY,
                "The relay takes the connection, chooses an endpoint, the next one in turn, and opens a"
                        + " connection of its own to it.",
                (now, seen) -> seen));
        return new NodeVerdict(
                hops,
                endpoints.stream()
                        .map(each -> new Trace.Outcome(
                                Trace.Verdict.ENDPOINT,
                                each.address(),
                                each.port(),
                                1.0 / endpoints.size(),
                                !keepsAddress(node, portal, entry, packet.source(), each.address())))
                        .toList(),
                true);
    }

    /** The relay asks no policy about connections of its own node. */
    private List<Hop> asked(String node, TracedPacket packet, Endpoint endpoint) {
        return own(node).contains(packet.source())
                ? List.of()
                : policies.atRelay(
                        node,
                        new TracedPacket(
                                packet.source(),
                                packet.protocol(),
                                endpoint.address(),
                                endpoint.port(),
                                packet.inputInterface()));
    }

    /** The policies allow none of the endpoints. */
    private static NodeVerdict leftOut(String node, TracedPacket packet, List<Hop> asked) {
        boolean datagram = packet.protocol() == Protocol.UDP;
        List<Hop> hops = new ArrayList<>(asked);
        hops.add(Hop.of(
                node,
                Actor.RELAY,
                datagram
                        ? "The relay has no other endpoint. It drops the datagram, and nobody answers."
                        : "The relay has no other endpoint. It takes the connection and resets it at once."));
        Trace.Verdict verdict = datagram ? Trace.Verdict.DROP : Trace.Verdict.REJECT;
        return new NodeVerdict(
                hops, List.of(new Trace.Outcome(verdict, packet.destination(), packet.port(), 1, false)), false);
    }

    private static String wayIn(boolean nodePort) {
        return "The map " + (nodePort ? "nodeports" : "portals") + " of the table nodepath-portals";
    }

    /** The endpoints in the relay's pool: with the policy Local, traffic from outside stays on the node. */
    private List<Endpoint> pool(String node, Portal portal, ServiceEntry entry, IpAddress client) {
        return entry.isLocalOnly(portal.service(), inside(node), client)
                ? portal.endpoints().local()
                : portal.endpoints().cluster();
    }

    private InternalClients inside(String node) {
        return new InternalClients(own(node), cluster.network().clusterCidrs());
    }

    private boolean keepsAddress(String node, Portal portal, ServiceEntry entry, IpAddress client, IpAddress endpoint) {
        NodeInfo info = cluster.snapshot().nodes().get(node);
        return cluster.proxies().keepsClientAddress()
                && info != null
                && KeptClients.of(info, cluster.snapshot().nodes().values(), inside(node), bridged(node, client))
                        .keeps(client, endpoint, entry.isLocalOnly(portal.service(), inside(node), client));
    }

    /** The pods of a node are on one bridge, with br_netfilter. */
    private List<Cidr> bridged(String node, IpAddress client) {
        return List.of(cluster.podCidr(node, client.family()));
    }

    private static NodeVerdict refused(String node, Portal portal, TracedPacket packet) {
        return new NodeVerdict(
                List.of(Hop.of(
                        node,
                        Actor.PROXY_RULE,
                        "The chain refused of the table nodepath-portals refuses connections to " + portal.name()
                                + ": it has no endpoint.",
                        new Effect.Refuses(portal.name() + " has no endpoint"),
                        Hop.Rewrite.NONE)),
                List.of(rejection(packet)),
                false);
    }

    private static Trace.Outcome rejection(TracedPacket packet) {
        return new Trace.Outcome(Trace.Verdict.REJECT, packet.destination(), packet.port(), 1, false);
    }
}
