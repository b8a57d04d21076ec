package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Host;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.emulator.walk.WalkTarget;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the conntrack entries that a packet has made on the nodes that it passes. */
record ProbeTracking(Walk walk, NodeTracking nodes) {

    /**
     * The entries of a packet, in the order of its way.
     *
     * @param answer the sender's observation
     * @param carried the packets that opened something on the nodes' links meanwhile, in the order of time
     */
    List<NodeFlow> entries(ProbeAnswer answer, List<Packet> carried) throws LinuxNetException {
        List<NodeFlow> found = new ArrayList<>();
        follow(sent(answer), found);
        Optional<Packet> second = secondLeg(answer, carried);
        if (second.isPresent()) {
            follow(second.get(), found);
        }
        return found;
    }

    /** The known addresses of the packet: as it was sent, as nodes track it, and as a relay has sent it on. */
    Set<Packet> forms(ProbeAnswer answer, List<Packet> carried, List<NodeFlow> entries) {
        Set<Packet> forms = new HashSet<>(Set.of(sent(answer)));
        for (NodeFlow entry : entries) {
            forms.add(entry.sent());
            forms.add(entry.became());
        }
        secondLeg(answer, carried).ifPresent(forms::add);
        return forms;
    }

    private Packet sent(ProbeAnswer answer) {
        WalkTarget to = walk.to();
        return new Packet(walk.source(), answer.localPort(), to.address(), to.port());
    }

    /** The entries of a packet, and those of its translated forms on other nodes. */
    private void follow(Packet packet, List<NodeFlow> found) throws LinuxNetException {
        List<NodeFlow> entries = nodes.of(walk.to().protocol().number(), packet);
        // The entry of a node that lets the packet pass comes before one that translates it.
        entries.sort(Comparator.comparing(NodeFlow::isTranslated));
        for (NodeFlow entry : entries) {
            boolean known = found.stream()
                    .anyMatch(each ->
                            each.node().equals(entry.node()) && each.sent().equals(entry.sent()));
            if (!known) {
                found.add(entry);
                follow(entry.became(), found);
            }
        }
    }

    /**
     * A new connection of a node itself to an endpoint that may have answered. Several such connections at one time
     * differ only in the port, so one stands for all. Conntrack alone does not suffice: the kernel may give a closed
     * connection's port to a new one, whose entry then looks like the old one.
     */
    private Optional<Packet> secondLeg(ProbeAnswer answer, List<Packet> carried) {
        return carried.stream()
                .filter(packet -> walk.mode() == ProxyMode.USERSPACE || isRefusedToNode(answer))
                .filter(packet -> walk.ends().stream()
                        .anyMatch(end -> ProbeResult.names(end, answer)
                                && ProbeResult.isAt(end, packet)
                                && end.seen().filter(packet.source()::equals).isPresent()))
                .findFirst();
    }

    /** No link carries a node's packet before its rules have changed it, and a refused connection is not tracked. */
    private boolean isRefusedToNode(ProbeAnswer answer) {
        return walk.from().kind() == Host.Kind.NODE && answer.kind() == ProbeAnswer.Kind.REFUSED;
    }
}
