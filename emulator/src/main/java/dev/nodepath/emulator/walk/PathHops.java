package dev.nodepath.emulator.walk;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.controllers.endpoints.BalancerRange;
import dev.nodepath.emulator.walk.Hop.Actor;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The links and routes between pods, nodes and the client outside, in sentences. */
final class PathHops {
    private final ClusterState cluster;

    PathHops(ClusterState cluster) {
        this.cluster = cluster;
    }

    /**
     * The first hops of a packet, out of its sender.
     *
     * @param hops get the sentences
     * @return the first node whose rules see the packet; empty if it reaches none
     */
    Optional<String> leave(Host from, IpAddress to, List<Hop> hops) {
        return switch (from.kind()) {
            case POD -> {
                hops.add(Hop.of(
                        from.name(),
                        "The packet leaves by eth0, one end of a veth pair. The other end is a port of "
                                + Conflist.BRIDGE + " on " + from.node() + "."));
                hops.add(Hop.of(from.node(), Actor.BRIDGE, onBridge(from, to)));
                yield Optional.of(from.node());
            }
            case NODE -> {
                hops.add(Hop.of(
                        from.node(),
                        Actor.PROCESS,
                        "A process of the node sends the packet. It meets rules in OUTPUT."));
                yield Optional.of(from.node());
            }
            case OUTSIDE -> fromOutside(to, hops);
        };
    }

    private String onBridge(Host from, IpAddress to) {
        boolean sameBridge = cluster.podCidr(from.node(), to.family()).contains(to)
                && !cluster.bridgeAddress(from.node(), to.family()).equals(to);
        return sameBridge
                ? "The bridge switches the packet to another of its ports. With br_netfilter it meets the rules of"
                        + " PREROUTING all the same."
                : "The bridge has the pod's gateway " + cluster.bridgeAddress(from.node(), to.family())
                        + ", so the packet is for the node to route. First it meets the rules of PREROUTING.";
    }

    private Optional<String> fromOutside(IpAddress to, List<Hop> hops) {
        String client = cluster.outside().name();
        Optional<Host> owner = cluster.at(to);
        if (BalancerRange.contains(to.toString())) {
            Optional<String> node = Optional.ofNullable(cluster.balancers().get(to));
            hops.add(Hop.of(
                    client,
                    node.map(each -> "A route leads the load balancer's address to " + each + ".")
                            .orElse("It has no route to " + to + ": no node announces this address.")));
            return node;
        }
        if (owner.isEmpty() || owner.get().kind() == Host.Kind.OUTSIDE) {
            hops.add(Hop.of(
                    client,
                    owner.isPresent()
                            ? "This is its own address. The packet reaches no node."
                            : "It has no route to " + to
                                    + ": a cluster IP means something on nodes alone. From outside a"
                                    + " node port leads to a Service."));
            return Optional.empty();
        }
        Host host = owner.get();
        if (host.kind() == Host.Kind.POD && !cluster.isBesideClient(host.node())) {
            hops.add(
                    Hop.of(client, "It has no route to the pods of " + host.node() + ", which is on another network."));
            return Optional.empty();
        }
        hops.add(Hop.of(
                client,
                host.kind() == Host.Kind.POD
                        ? "It has a route to the pods of " + host.node() + ", through "
                                + cluster.nodeAddress(host.node(), to.family()) + "."
                        : "It sends the packet to " + host.node() + "."));
        return Optional.of(host.node());
    }

    /** The way from one node to another. */
    Hop between(String node, String other, IpAddress to) {
        IpAddress gateway = cluster.nodeAddress(other, to.family());
        boolean toPods = cluster.podCidr(other, to.family()).contains(to);
        if (!cluster.shareNetwork(node, other)) {
            return Hop.of(
                    node,
                    toPods
                            ? "A route leads into the VXLAN link nodepath-vxlan, which sends the packet to " + gateway
                                    + " (" + other + ") inside a packet to UDP port 4789."
                            : "The default route leads to the router, and from there to " + other + ".");
        }
        return Hop.of(
                node,
                toPods
                        ? "A route leads to " + cluster.podCidr(other, to.family()) + " through " + gateway
                                + ", which is " + other + "."
                        : "A route leads to " + gateway + ", which is " + other + ", on the same network.");
    }

    List<Hop> arrive(String node, Host receiver, IpAddress to) {
        return switch (receiver.kind()) {
            case POD -> List.of(receiver.isPodOn(node) ? toOwnPod(node, receiver) : between(node, receiver.node(), to));
            case NODE ->
                receiver.node().equals(node)
                        ? List.of(Hop.of(
                                node,
                                "The address is the node's own. A process that listens there gets the packet; without one"
                                        + " the node refuses it."))
                        : List.of(between(node, receiver.node(), to));
            case OUTSIDE -> List.of(Hop.of(node, "A route leads to " + receiver.name() + ", outside the cluster."));
        };
    }

    /**
     * The hops at a pod's node for a packet from another node.
     *
     * @param asked the answers of its policies
     */
    List<Hop> pass(Host pod, NodeVerdict verdict, List<Hop> asked) {
        NodeVerdict.Around rules = NodeVerdict.Around.of(verdict.hops());
        boolean ends = NodePolicies.refuse(asked);
        List<Hop> hops = new ArrayList<>();
        if (verdict.changesNothing()) {
            List<Hop> met = ends ? rules.before() : verdict.hops();
            hops.add(Hop.quiet(
                    pod.node(),
                    "The rules here leave a packet to a pod's address as it is.",
                    met.stream().flatMap(hop -> hop.step().stream()).toList()));
            hops.addAll(asked);
        } else {
            hops.addAll(rules.before());
            hops.addAll(asked);
            hops.addAll(ends ? List.of() : rules.behind());
        }
        if (!ends) {
            hops.add(toOwnPod(pod.node(), pod));
        }
        return hops;
    }

    private static Hop toOwnPod(String node, Host pod) {
        return Hop.of(
                node,
                Actor.BRIDGE,
                "The bridge " + Conflist.BRIDGE + " passes the packet to the veth of " + pod.name() + ".");
    }

    /** The end of a packet's way. */
    static Hop withoutPower(String node) {
        return Hop.of(node, "The node has no power. Nobody takes the packet, and nobody answers.");
    }

    /** The agent's chain replaces the source of a pod's packet that leaves the pods' networks. */
    static Hop masquerade(String node, IpAddress source) {
        return new Hop(
                node,
                Actor.AGENT_RULE,
                "The packet leaves the pods' networks, so its source becomes " + source + ".",
                "inet nodepath pod-masquerade",
                Optional.empty(),
                List.of(),
                new Effect.NewSource(/* unmarks= */ false),
                (now, seen) -> new Hop.Addresses(source.toString(), now.destination()));
    }

    /** The way of the answer to the node that tracks the connection, and its translation there. */
    List<Hop> answer(WayBack answer, Host asker) {
        List<Hop> hops = new ArrayList<>();
        Host receiver = answer.receiver();
        hops.add(Hop.of(receiver.name(), "It answers to " + answer.seen() + "."));
        if (!receiver.node().equals(answer.node()) && receiver.kind() == Host.Kind.OUTSIDE) {
            hops.add(Hop.of(receiver.name(), "It sends the answer to " + answer.node() + "."));
        } else if (!receiver.node().equals(answer.node())) {
            hops.add(between(receiver.node(), answer.node(), answer.seen()));
        } else if (receiver.kind() == Host.Kind.POD
                && asker.isPodOn(answer.node())
                && answer.asker().equals(answer.seen())
                && !answer.relayed()) {
            hops.add(Hop.of(
                    answer.node(),
                    Actor.BRIDGE,
                    "The bridge switches the answer between two of its ports. With br_netfilter it meets connection"
                            + " tracking all the same."));
        }
        if (answer.relayed()) {
            if (answer.asker().equals(answer.seen())) {
                hops.add(kept(answer, asker));
            }
            hops.add(Hop.of(
                    answer.node(),
                    Actor.RELAY,
                    "The relay copies the answer into the connection of its client.",
                    Hop.Rewrite.to(Hop.RELAY + answer.node(), answer.asker().toString())));
            hops.add(Hop.of(
                    answer.node(),
                    Actor.CONNECTION_TRACKING,
                    "The conntrack entry of " + answer.asker() + " -> " + answer.asked() + " makes " + answer.asked()
                            + " its source.",
                    restored(answer.asked(), answer.asker())));
        } else if (answer.isTranslated()) {
            hops.add(Hop.of(
                    answer.node(), Actor.CONNECTION_TRACKING, entry(answer), restored(answer.asked(), answer.asker())));
        }
        return hops;
    }

    /** The way to the relay of an answer to a client's address. */
    private static Hop kept(WayBack answer, Host asker) {
        String node = answer.node();
        boolean onBridge = answer.receiver().isPodOn(node) && asker.isPodOn(node);
        return Hop.of(
                node,
                Actor.CONNECTION_TRACKING,
                (onBridge ? "With br_netfilter the answer meets connection tracking on the bridge. " : "")
                        + "The table nodepath-clients has given the relay's connection the address of " + asker.name()
                        + ". Its conntrack entry makes the node the answer's destination.");
    }

    static Hop.Rewrite restored(WalkTarget asked, IpAddress asker) {
        return Hop.Rewrite.to(asked.toString(), asker.toString());
    }

    private static String entry(WayBack answer) {
        String both = answer.asker().equals(answer.seen()) ? "" : ", and " + answer.asker() + " its destination";
        return "The conntrack entry of " + answer.asker() + " -> " + answer.asked() + " expects answers from "
                + answer.reached() + " to " + answer.seen() + ". It makes " + answer.asked() + " the source" + both
                + ".";
    }
}
