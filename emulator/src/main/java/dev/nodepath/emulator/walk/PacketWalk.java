package dev.nodepath.emulator.walk;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Walks one packet from its sender to every endpoint that it can reach. */
final class PacketWalk {
    private static final String UPLINK = "eth0";

    private final ClusterState cluster;
    private final NodeRules rules;
    private final Roads roads;
    private final Party from;
    private final WalkTarget to;
    private final List<Hop> hops = new ArrayList<>();

    private PacketWalk(ClusterState cluster, Party from, WalkTarget to) {
        this.cluster = cluster;
        this.rules = new NodeRules(cluster);
        this.roads = new Roads(cluster);
        this.from = from;
        this.to = to;
    }

    /**
     * Walks it.
     *
     * @throws IllegalArgumentException if the sender has no address of the destination's family
     */
    static Walk of(ClusterState cluster, Party from, WalkTarget to) {
        return new PacketWalk(cluster, from, to).walk();
    }

    private Walk walk() {
        IpAddress source = from.kind() == Party.Kind.NODE
                ? cluster.sourceTowards(from.node(), to.address())
                : from.address(to.address().family())
                        .orElseThrow(() -> new IllegalArgumentException(from.name() + " has no "
                                + to.address().family() + " address (expected: one, as " + to.address() + " is one)"));
        if (from.kind() == Party.Kind.POD && from.addresses().contains(to.address())) {
            Walk.End itself = itself(source);
            return new Walk(from, source, to, cluster.proxies().mode(), hops, List.of(itself));
        }
        Optional<String> first = roads.leave(from, to.address(), hops);
        if (first.isEmpty()) {
            return new Walk(from, source, to, cluster.proxies().mode(), hops, List.of(lost(source)));
        }
        if (!cluster.hasPower(first.get())) {
            hops.add(Roads.withoutPower(first.get()));
            return new Walk(from, source, to, cluster.mode(first.get()), hops, List.of(lost(source)));
        }
        Translation at = onward(first.get(), source);
        return new Walk(from, source, to, cluster.mode(at.node()), hops, ends(at));
    }

    /** Passes nodes until one has the destination or decides about it. */
    private Translation onward(String first, IpAddress source) {
        TracedPacket packet = packet(source, to.address(), to.port(), linkOfSender(first));
        Passage passage = rules.pass(first, packet);
        List<Hop> before = List.copyOf(hops);
        hops.addAll(passage.hops());
        Optional<String> next =
                passage.changesNothing() ? otherNode(first).filter(cluster::hasPower) : Optional.empty();
        if (next.isEmpty()) {
            return new Translation(first, source, source, before, passage);
        }
        IpAddress seen = source;
        if (from.kind() == Party.Kind.POD) {
            seen = cluster.sourceTowards(first, to.address());
            hops.add(Roads.masquerade(first, seen));
        }
        hops.add(roads.between(first, next.get(), to.address()));
        Passage second = rules.pass(next.get(), packet(seen, to.address(), to.port(), UPLINK));
        before = List.copyOf(hops);
        hops.addAll(second.hops());
        return new Translation(next.get(), source, seen, before, second);
    }

    /**
     * A node that decides.
     *
     * @param source that the packet left its sender with
     * @param arrives the source that it comes to this node with
     * @param before the hops until there
     */
    private record Translation(String node, IpAddress source, IpAddress arrives, List<Hop> before, Passage passage) {
        List<Hop> way(Trace.Outcome outcome) {
            List<Hop> way = new ArrayList<>(before);
            way.addAll(passage.hopsTo(outcome));
            return way;
        }
    }

    private List<Walk.End> ends(Translation at) {
        return at.passage().outcomes().stream().map(each -> end(at, each)).toList();
    }

    private Walk.End end(Translation at, Trace.Outcome outcome) {
        if (outcome.verdict() == Trace.Verdict.DROP || outcome.verdict() == Trace.Verdict.REJECT) {
            return nobody(outcome, at.way(outcome), List.of());
        }
        Optional<Party> receiver = cluster.at(outcome.address());
        if (receiver.isEmpty()) {
            return nobody(outcome, at.way(outcome), lostOnTheWay(at, outcome));
        }
        List<Hop> there = new ArrayList<>();
        IpAddress seen = outcome.masqueraded() ? cluster.sourceTowards(at.node(), outcome.address()) : at.arrives();
        Party party = receiver.get();
        if (leavesCluster(at, party) && !outcome.masqueraded()) {
            seen = cluster.sourceTowards(at.node(), outcome.address());
            there.add(Roads.masquerade(at.node(), seen));
        }
        there.addAll(roads.arrive(at.node(), party, outcome.address()));
        if (!cluster.hasPower(party.node())) {
            there.add(Roads.withoutPower(party.node()));
            return nobody(outcome, at.way(outcome), there);
        }
        if (party.kind() == Party.Kind.POD && !party.isPodOn(at.node())) {
            Passage last = rules.pass(party.node(), packet(seen, outcome.address(), outcome.port(), UPLINK));
            there.addAll(roads.pass(party, last));
        }
        String who = cluster.at(seen).map(Party::name).orElse("");
        there.add(
                Hop.of(party.name(), "It sees the source " + seen + (who.isEmpty() ? "." : ", which is " + who + ".")));
        return new Walk.End(
                outcome.verdict(),
                outcome.probability(),
                party.name(),
                outcome.address(),
                outcome.port(),
                Optional.of(seen),
                at.way(outcome),
                there,
                back(at, outcome, party, seen));
    }

    /** The agent's own chain masquerades pods' packets to addresses that no pod has. */
    private boolean leavesCluster(Translation at, Party receiver) {
        return from.isPodOn(at.node())
                && receiver.kind() != Party.Kind.POD
                && !receiver.node().equals(at.node());
    }

    private List<Hop> back(Translation at, Trace.Outcome outcome, Party receiver, IpAddress seen) {
        WayBack answer = new WayBack(
                at.node(),
                to,
                at.arrives(),
                receiver,
                new WalkTarget("", outcome.address(), outcome.port(), to.protocol()),
                seen,
                at.passage().relayed());
        List<Hop> back = new ArrayList<>(roads.answer(answer, from));
        if (from.kind() == Party.Kind.POD && !from.node().equals(at.node())) {
            back.add(roads.between(at.node(), from.node(), at.arrives()));
            back.add(Hop.of(
                    from.node(),
                    "The conntrack entry of " + at.source() + " -> " + to + " makes " + at.source()
                            + " the destination again.",
                    Roads.restored(to, at.source())));
        }
        back.add(Hop.of(from.name(), "The answer comes from " + to + ", which it has asked."));
        return back;
    }

    /** No pod and no node has the address. */
    private List<Hop> lostOnTheWay(Translation at, Trace.Outcome outcome) {
        List<Hop> there = new ArrayList<>();
        if (from.isPodOn(at.node()) && !outcome.masqueraded()) {
            there.add(Roads.masquerade(at.node(), cluster.sourceTowards(at.node(), outcome.address())));
        }
        there.add(Hop.of(
                at.node(),
                "No pod and no node has this address. The packet leaves by the default gateway, and nobody answers."));
        return there;
    }

    private static Walk.End nobody(Trace.Outcome outcome, List<Hop> way, List<Hop> there) {
        return new Walk.End(
                outcome.verdict(),
                outcome.probability(),
                "",
                outcome.address(),
                outcome.port(),
                Optional.empty(),
                way,
                there,
                List.of());
    }

    /** A sender that the network does not take the packet from. */
    private Walk.End lost(IpAddress source) {
        Trace.Verdict verdict = source.equals(to.address()) ? Trace.Verdict.ACCEPT : Trace.Verdict.UNTOUCHED;
        return nobody(new Trace.Outcome(verdict, to.address(), to.port(), 1, false), hops, List.of());
    }

    /** A pod that asks itself needs no network. */
    private Walk.End itself(IpAddress source) {
        hops.add(Hop.of(from.name(), "This is its own address. The packet stays in the pod, on its loopback link."));
        return new Walk.End(
                Trace.Verdict.ACCEPT,
                1,
                from.name(),
                to.address(),
                to.port(),
                Optional.of(source),
                hops,
                List.of(Hop.of(from.name(), "It sees the source " + source + ", which is itself.")),
                List.of(Hop.of(from.name(), "The answer comes from " + to + ", which it has asked.")));
    }

    /** The other node whose own address is the destination. */
    private Optional<String> otherNode(String node) {
        return cluster.at(to.address())
                .filter(party ->
                        party.kind() == Party.Kind.NODE && !party.node().equals(node))
                .map(Party::node);
    }

    private String linkOfSender(String node) {
        if (from.kind() == Party.Kind.NODE) {
            return "";
        }
        return from.isPodOn(node) ? Conflist.BRIDGE : UPLINK;
    }

    private TracedPacket packet(IpAddress source, IpAddress destination, int port, String link) {
        return new TracedPacket(source, to.protocol(), destination, port, link);
    }
}
