package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
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

    /** An entry on a node. */
    record Entry(String node, ConntrackFlow flow) {}

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
    List<Entry> entries(int port) throws LinuxNetException {
        List<Entry> all = new ArrayList<>();
        for (Map.Entry<String, Conntrack> node : nodes.entrySet()) {
            node.getValue()
                    .find(walk.to().address().family(), walk.to().protocol().number(), flow -> true)
                    .forEach(flow -> all.add(new Entry(node.getKey(), flow)));
        }
        // A node that lets the packet pass comes before the one that translates it.
        all.sort(Comparator.comparing(entry -> isTranslated(entry.flow())));
        List<Entry> found = new ArrayList<>();
        follow(new Packet(walk.source(), port, walk.to().address(), walk.to().port()), all, found);
        if (walk.mode() == ProxyMode.USERSPACE) {
            relayed(all, found);
        }
        return found;
    }

    private static boolean isTranslated(ConntrackFlow flow) {
        return !Packet.sent(flow.original()).equals(Packet.translated(flow.reply()));
    }

    private record Packet(IpAddress source, int sourcePort, IpAddress destination, int port) {
        static Packet sent(Tuple tuple) {
            return new Packet(tuple.source(), tuple.sourcePort(), tuple.destination(), tuple.destinationPort());
        }

        /** What answers come back to and from is what the packet became. */
        static Packet translated(Tuple reply) {
            return new Packet(
                    /* source= */ reply.destination(),
                    /* sourcePort= */ reply.destinationPort(),
                    /* destination= */ reply.source(),
                    /* port= */ reply.sourcePort());
        }
    }

    /** The entries of a packet, and of what each made of it on another node. */
    private static void follow(Packet packet, List<Entry> all, List<Entry> found) {
        for (Entry entry : all) {
            if (!found.contains(entry) && Packet.sent(entry.flow().original()).equals(packet)) {
                found.add(entry);
                follow(Packet.translated(entry.flow().reply()), all, found);
            }
        }
    }

    /** The second leg: new entries of a node's own connection to one of the endpoints. */
    private void relayed(List<Entry> all, List<Entry> found) {
        for (Entry entry : all) {
            Tuple original = entry.flow().original();
            boolean isNew = !before.getOrDefault(entry.node(), Set.of()).contains(original);
            boolean toEnd = walk.ends().stream()
                    .anyMatch(end -> end.address().equals(original.destination())
                            && end.port() == original.destinationPort()
                            && end.seen().filter(original.source()::equals).isPresent());
            if (isNew && toEnd && !found.contains(entry)) {
                follow(Packet.sent(original), all, found);
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
