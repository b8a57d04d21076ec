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
    private final NodePolicies policies;
    private final NodeRules rules;
    private final PathHops paths;
    private final Host from;
    private final WalkTarget to;
    private final List<Hop> hops = new ArrayList<>();

    private PacketWalk(ClusterState cluster, Host from, WalkTarget to) {
        this.cluster = cluster;
        this.policies = new NodePolicies(cluster);
        this.rules = new NodeRules(cluster, policies);
        this.paths = new PathHops(cluster);
        this.from = from;
        this.to = to;
    }

    /**
     * Walks the packet.
     *
     * @throws IllegalArgumentException if the sender has no address of the destination's family
     */
    static Walk of(ClusterState cluster, Host from, WalkTarget to) {
        return new PacketWalk(cluster, from, to).walk();
    }

    private Walk walk() {
        IpAddress source = from.kind() == Host.Kind.NODE
                ? cluster.sourceTowards(from.node(), to.address())
                : from.address(to.address().family())
                        .orElseThrow(() -> new IllegalArgumentException(from.name() + " has no "
                                + to.address().family() + " address (expected: one, as " + to.address() + " is one)"));
        if (from.kind() == Host.Kind.POD && from.addresses().contains(to.address())) {
            Walk.End itself = itself(source);
            return new Walk(from, source, to, cluster.proxies().mode(), hops, List.of(itself));
        }
        Optional<String> first = paths.leave(from, to.address(), hops);
        if (first.isEmpty()) {
            return new Walk(from, source, to, cluster.proxies().mode(), hops, List.of(lost(source)));
        }
        if (!cluster.hasPower(first.get())) {
            hops.add(PathHops.withoutPower(first.get()));
            return new Walk(from, source, to, cluster.mode(first.get()), hops, List.of(lost(source)));
        }
        Optional<Translation> at = onward(first.get(), source);
        return at.map(translation ->
                        new Walk(from, source, to, cluster.mode(translation.node()), hops, ends(translation)))
                .orElseGet(() -> new Walk(from, source, to, cluster.mode(first.get()), hops, List.of(dropped())));
    }

    /**
     * Passes nodes until one has the destination's address or decides about the packet. Empty if the first node's
     * policies refuse the packet.
     */
    private Optional<Translation> onward(String first, IpAddress source) {
        TracedPacket packet = packet(source, to.address(), to.port(), linkOfSender(first));
        NodeVerdict verdict = rules.pass(first, packet);
        List<Hop> before = List.copyOf(hops);
        Optional<String> next =
                verdict.changesNothing() ? otherNode(first).filter(cluster::hasPower) : Optional.empty();
        if (next.isEmpty()) {
            return Optional.of(new Translation(first, source, source, before, verdict));
        }
        List<Hop> asked = isSentBy(first) ? List.of() : policies.atNode(first, packet);
        NodeVerdict.Around around = NodeVerdict.Around.of(verdict.hops());
        hops.addAll(around.before());
        hops.addAll(asked);
        if (NodePolicies.refuse(asked)) {
            return Optional.empty();
        }
        hops.addAll(around.behind());
        IpAddress seen = source;
        if (from.kind() == Host.Kind.POD) {
            seen = cluster.sourceTowards(first, to.address());
            hops.add(PathHops.masquerade(first, seen));
        }
        hops.add(paths.between(first, next.get(), to.address()));
        NodeVerdict second = rules.pass(next.get(), packet(seen, to.address(), to.port(), UPLINK));
        return Optional.of(new Translation(next.get(), source, seen, List.copyOf(hops), second));
    }

    /**
     * Whether a process in the node's own network sends the packet, which then does not pass FORWARD or INPUT there.
     */
    private boolean isSentBy(String node) {
        return from.kind() == Host.Kind.NODE && from.node().equals(node);
    }

    /**
     * The node that decides, and the packet there.
     *
     * @param source the packet's source at its sender
     * @param arrives the packet's source on arrival at this node
     * @param before the hops up to this node
     */
    private record Translation(
            String node, IpAddress source, IpAddress arrives, List<Hop> before, NodeVerdict verdict) {}

    /** If the node asks a policy, the rules behind the policy are listed with each end. */
    private List<Walk.End> ends(Translation at) {
        List<List<Hop>> asked =
                at.verdict().outcomes().stream().map(each -> asked(at, each)).toList();
        boolean split = asked.stream().anyMatch(each -> !each.isEmpty());
        hops.addAll(
                split
                        ? NodeVerdict.Around.of(at.verdict().hops()).before()
                        : at.verdict().hops());
        List<Walk.End> ends = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            Trace.Outcome outcome = at.verdict().outcomes().get(i);
            NodeVerdict.Around around = at.verdict().hopsAround(outcome);
            List<Hop> way = new ArrayList<>(at.before());
            way.addAll(split ? around.before() : at.verdict().hopsTo(outcome));
            List<Hop> there = new ArrayList<>(asked.get(i));
            if (NodePolicies.refuse(there)) {
                ends.add(nobody(outcome, Trace.Verdict.DROP, Optional.empty(), way, there));
            } else {
                there.addAll(split ? around.behind() : List.of());
                ends.add(end(at, outcome, way, there));
            }
        }
        return ends;
    }

    /**
     * The answers of the node's policies about one outcome. A rule of PREROUTING may have ended the packet earlier.
     */
    private List<Hop> asked(Translation at, Trace.Outcome outcome) {
        TracedPacket packet = packet(at.arrives(), outcome.address(), outcome.port(), "");
        if (isSentBy(at.node())) {
            boolean ownPod = cluster.at(outcome.address())
                    .filter(host -> host.isPodOn(at.node()))
                    .isPresent();
            return ownPod ? policies.fromOwnNode(at.node(), packet) : List.of();
        } else if (at.verdict().relayed()) {
            return policies.atRelay(at.node(), packet);
        }
        boolean ended =
                isRefused(outcome) && at.verdict().hopsAround(outcome).behind().isEmpty();
        return ended ? List.of() : policies.atNode(at.node(), packet);
    }

    private static boolean isRefused(Trace.Outcome outcome) {
        return outcome.verdict() == Trace.Verdict.DROP || outcome.verdict() == Trace.Verdict.REJECT;
    }

    /** One end, after these hops. */
    private Walk.End end(Translation at, Trace.Outcome outcome, List<Hop> way, List<Hop> there) {
        if (isRefused(outcome)) {
            return nobody(outcome, way, there);
        }
        Optional<Host> receiver = cluster.at(outcome.address());
        if (receiver.isEmpty()) {
            there.addAll(lostOnTheWay(at, outcome));
            return nobody(outcome, way, there);
        }
        IpAddress seen = outcome.masqueraded() ? cluster.sourceTowards(at.node(), outcome.address()) : at.arrives();
        Host host = receiver.get();
        if (leavesCluster(at, host) && !outcome.masqueraded()) {
            seen = cluster.sourceTowards(at.node(), outcome.address());
            there.add(PathHops.masquerade(at.node(), seen));
        }
        there.addAll(paths.arrive(at.node(), host, outcome.address()));
        if (!cluster.hasPower(host.node())) {
            there.add(PathHops.withoutPower(host.node()));
            return nobody(outcome, way, there);
        }
        if (host.kind() == Host.Kind.POD && !host.isPodOn(at.node())) {
            TracedPacket last = packet(seen, outcome.address(), outcome.port(), UPLINK);
            List<Hop> asked = policies.atNode(host.node(), last);
            there.addAll(paths.pass(host, rules.pass(host.node(), last), asked));
            if (NodePolicies.refuse(asked)) {
                // A relay tries another endpoint.
                Trace.Verdict verdict = at.verdict().relayed() ? outcome.verdict() : Trace.Verdict.DROP;
                return nobody(outcome, verdict, Optional.of(seen), way, there);
            }
        }
        String who = cluster.at(seen).map(Host::name).orElse("");
        there.add(
                Hop.of(host.name(), "It sees the source " + seen + (who.isEmpty() ? "." : ", which is " + who + ".")));
        return new Walk.End(
                outcome.verdict(),
                outcome.probability(),
                host.name(),
                outcome.address(),
                outcome.port(),
                Optional.of(seen),
                way,
                there,
                back(at, outcome, host, seen));
    }

    /** Whether the agent's own chain masquerades the packet: it goes from a pod to an address of no pod. */
    private boolean leavesCluster(Translation at, Host receiver) {
        return from.isPodOn(at.node())
                && receiver.kind() != Host.Kind.POD
                && !receiver.node().equals(at.node());
    }

    private List<Hop> back(Translation at, Trace.Outcome outcome, Host receiver, IpAddress seen) {
        WayBack answer = new WayBack(
                at.node(),
                to,
                at.arrives(),
                receiver,
                new WalkTarget("", outcome.address(), outcome.port(), to.protocol()),
                seen,
                at.verdict().relayed());
        List<Hop> back = new ArrayList<>(paths.answer(answer, from));
        if (from.kind() == Host.Kind.POD && !from.node().equals(at.node())) {
            back.add(paths.between(at.node(), from.node(), at.arrives()));
            back.add(Hop.of(
                    from.node(),
                    Hop.Actor.CONNECTION_TRACKING,
                    "The conntrack entry of " + at.source() + " -> " + to + " makes " + at.source()
                            + " the destination again.",
                    PathHops.restored(to, at.source())));
        }
        back.add(Hop.of(from.name(), "The answer comes from " + to + ", which it has asked."));
        return back;
    }

    /** No pod and no node has the address. */
    private List<Hop> lostOnTheWay(Translation at, Trace.Outcome outcome) {
        List<Hop> there = new ArrayList<>();
        if (from.isPodOn(at.node()) && !outcome.masqueraded()) {
            there.add(PathHops.masquerade(at.node(), cluster.sourceTowards(at.node(), outcome.address())));
        }
        there.add(Hop.of(
                at.node(),
                "No pod and no node has this address. The packet leaves by the default gateway, and nobody answers."));
        return there;
    }

    private static Walk.End nobody(Trace.Outcome outcome, List<Hop> way, List<Hop> there) {
        return nobody(outcome, outcome.verdict(), Optional.empty(), way, there);
    }

    private static Walk.End nobody(
            Trace.Outcome outcome, Trace.Verdict verdict, Optional<IpAddress> seen, List<Hop> way, List<Hop> there) {
        return new Walk.End(
                verdict, outcome.probability(), "", outcome.address(), outcome.port(), seen, way, there, List.of());
    }

    /** The end of a packet that the network does not take from its sender. */
    private Walk.End lost(IpAddress source) {
        Trace.Verdict verdict = source.equals(to.address()) ? Trace.Verdict.ACCEPT : Trace.Verdict.UNTOUCHED;
        return nobody(new Trace.Outcome(verdict, to.address(), to.port(), 1, false), hops, List.of());
    }

    /** The end if the policies of the sender's node refuse every destination. */
    private Walk.End dropped() {
        return nobody(new Trace.Outcome(Trace.Verdict.DROP, to.address(), to.port(), 1, false), hops, List.of());
    }

    /** The end of a pod that calls itself: it needs no network. */
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

    /** The other node that has the destination as its own address. */
    private Optional<String> otherNode(String node) {
        return cluster.at(to.address())
                .filter(host -> host.kind() == Host.Kind.NODE && !host.node().equals(node))
                .map(Host::node);
    }

    private String linkOfSender(String node) {
        if (from.kind() == Host.Kind.NODE) {
            return "";
        }
        return from.isPodOn(node) ? Conflist.BRIDGE : UPLINK;
    }

    private TracedPacket packet(IpAddress source, IpAddress destination, int port, String link) {
        return new TracedPacket(source, to.protocol(), destination, port, link);
    }
}
