package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The conntrack entries that a packet makes on the nodes that it passes. */
final class ProbeTracking implements AutoCloseable {
    private final Walk walk;
    private final Map<String, Conntrack> nodes = new LinkedHashMap<>();
    private final Map<String, Set<Tuple>> before = new LinkedHashMap<>();

    private ProbeTracking(Walk walk) {
        this.walk = walk;
    }

    /** Remembers what is there before the packet is sent. */
    static ProbeTracking open(Cluster cluster, KernelLinuxNet net, Walk walk) throws LinuxNetException {
        ProbeTracking tracking = new ProbeTracking(walk);
        try {
            for (NodeInfo node : cluster.topology().nodes()) {
                Conntrack opened = cluster.node(node.name()).call(() -> net.conntrack());
                tracking.nodes.put(node.name(), opened);
                if (walk.mode() == ProxyMode.USERSPACE) {
                    tracking.before.put(node.name(), tracking.tuples(opened));
                }
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
     * @param port that its sender had
     */
    List<NodeFlow> entries(int port) throws LinuxNetException {
        List<NodeFlow> all = new ArrayList<>();
        for (Map.Entry<String, Conntrack> node : nodes.entrySet()) {
            node.getValue()
                    .find(walk.to().address().family(), walk.to().protocol().number(), flow -> true)
                    .forEach(flow -> all.add(new NodeFlow(node.getKey(), flow)));
        }
        // A node that lets the packet pass comes before the one that translates it.
        all.sort(Comparator.comparing(NodeFlow::isTranslated));
        List<NodeFlow> found = new ArrayList<>();
        follow(new Packet(walk.source(), port, walk.to().address(), walk.to().port()), all, found);
        if (walk.mode() == ProxyMode.USERSPACE) {
            relayed(all, found);
        }
        return found;
    }

    /** The entries of a packet, and of what each made of it on another node. */
    private static void follow(Packet packet, List<NodeFlow> all, List<NodeFlow> found) {
        for (NodeFlow entry : all) {
            if (!found.contains(entry) && entry.sent().equals(packet)) {
                found.add(entry);
                follow(entry.became(), all, found);
            }
        }
    }

    /** The second leg: new entries of a node's own connection to one of the endpoints. */
    private void relayed(List<NodeFlow> all, List<NodeFlow> found) {
        for (NodeFlow entry : all) {
            Tuple original = entry.flow().original();
            boolean isNew = !before.getOrDefault(entry.node(), Set.of()).contains(original);
            boolean toEnd = walk.ends().stream()
                    .anyMatch(end -> end.address().equals(original.destination())
                            && end.port() == original.destinationPort()
                            && end.seen().filter(original.source()::equals).isPresent());
            if (isNew && toEnd && !found.contains(entry)) {
                follow(entry.sent(), all, found);
            }
        }
    }

    private Set<Tuple> tuples(Conntrack node) throws LinuxNetException {
        Set<Tuple> tuples = new HashSet<>();
        node.find(walk.to().address().family(), walk.to().protocol().number(), flow -> true)
                .forEach(flow -> tuples.add(flow.original()));
        return tuples;
    }

    @Override
    public void close() {
        nodes.values().forEach(Conntrack::close);
    }
}
