package dev.nodepath.emulator.page.probe;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.page.flow.NodeFlow;
import dev.nodepath.emulator.page.flow.NodeFlow.Packet;
import dev.nodepath.emulator.page.flow.NodeTracking;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The conntrack entries that a packet makes on the nodes that it passes. */
final class ProbeTracking implements AutoCloseable {
    private final Walk walk;
    private final NodeTracking nodes;
    private final Set<Begun> before = new HashSet<>();

    private ProbeTracking(Walk walk, NodeTracking nodes) {
        this.walk = walk;
        this.nodes = nodes;
    }

    /** A flow, whatever has become of it. */
    private record Begun(String node, Packet sent) {
        static Begun of(NodeFlow entry) {
            return new Begun(entry.node(), entry.sent());
        }
    }

    /** Remembers what is there before the packet is sent. */
    static ProbeTracking open(Cluster cluster, KernelLinuxNet net, Walk walk) throws LinuxNetException {
        ProbeTracking tracking = new ProbeTracking(walk, NodeTracking.open(cluster, net));
        try {
            if (walk.mode() == ProxyMode.USERSPACE) {
                tracking.list().forEach(entry -> tracking.before.add(Begun.of(entry)));
            }
            return tracking;
        } catch (LinuxNetException | RuntimeException e) {
            tracking.close();
            throw e;
        }
    }

    /**
     * The entries of a packet, in the order of its way.
     *
     * @param answer what its sender has seen
     */
    List<NodeFlow> entries(ProbeAnswer answer) throws LinuxNetException {
        List<NodeFlow> found = new ArrayList<>();
        follow(
                new Packet(
                        walk.source(),
                        answer.localPort(),
                        walk.to().address(),
                        walk.to().port()),
                found);
        if (walk.mode() == ProxyMode.USERSPACE) {
            relayed(answer, found);
        }
        return found;
    }

    private List<NodeFlow> list() throws LinuxNetException {
        return nodes.list(walk.to().address().family(), walk.to().protocol().number());
    }

    /** The entries of a packet, and of what each made of it on another node. */
    private void follow(Packet packet, List<NodeFlow> found) throws LinuxNetException {
        List<NodeFlow> entries = nodes.of(walk.to().protocol().number(), packet);
        // A node that lets the packet pass comes before the one that translates it.
        entries.sort(Comparator.comparing(NodeFlow::isTranslated));
        for (NodeFlow entry : entries) {
            if (found.stream().noneMatch(each -> Begun.of(each).equals(Begun.of(entry)))) {
                found.add(entry);
                follow(entry.became(), found);
            }
        }
    }

    /**
     * The second leg: a new connection of a node's own to the endpoint that has answered. Others of that moment differ from it
     * in the port alone, so one stands for all.
     */
    private void relayed(ProbeAnswer answer, List<NodeFlow> found) throws LinuxNetException {
        for (NodeFlow entry : list()) {
            Packet sent = entry.sent();
            boolean toEnd = walk.ends().stream()
                    .anyMatch(end -> ProbeResult.names(end, answer)
                            && end.address().equals(sent.destination())
                            && end.port() == sent.port()
                            && end.seen().filter(sent.source()::equals).isPresent());
            if (toEnd && !before.contains(Begun.of(entry))) {
                follow(sent, found);
                return;
            }
        }
    }

    @Override
    public void close() {
        nodes.close();
    }
}
