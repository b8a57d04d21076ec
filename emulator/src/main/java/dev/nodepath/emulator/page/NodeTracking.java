package dev.nodepath.emulator.page;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The connection tracking of all nodes of a cluster, by a socket in each. */
final class NodeTracking implements AutoCloseable {
    private final Map<String, Conntrack> nodes;

    /** Takes over open sockets, by node name. */
    NodeTracking(Map<String, Conntrack> nodes) {
        this.nodes = new LinkedHashMap<>(nodes);
    }

    static NodeTracking open(Cluster cluster, KernelLinuxNet net) throws LinuxNetException {
        NodeTracking tracking = new NodeTracking(Map.of());
        try {
            for (NodeInfo node : cluster.topology().nodes()) {
                tracking.nodes.put(node.name(), cluster.node(node.name()).call(() -> net.conntrack()));
            }
            return tracking;
        } catch (LinuxNetException | RuntimeException e) {
            tracking.close();
            throw e;
        }
    }

    /** All entries of TCP and UDP, in the order of the nodes. */
    List<NodeFlow> list() throws LinuxNetException {
        List<NodeFlow> entries = new ArrayList<>();
        for (Map.Entry<String, Conntrack> node : nodes.entrySet()) {
            node.getValue()
                    .findAmongAll(NodeTracking::hasPorts)
                    .forEach(flow -> entries.add(new NodeFlow(node.getKey(), flow)));
        }
        return entries;
    }

    private static boolean hasPorts(ConntrackFlow flow) {
        return flow.protocol() == Protocol.TCP.number() || flow.protocol() == Protocol.UDP.number();
    }

    /** The entry that each node has of a packet, in the order of the nodes. */
    List<NodeFlow> of(int protocol, NodeFlow.Packet packet) throws LinuxNetException {
        ConntrackFlow.Tuple sent = new ConntrackFlow.Tuple(
                packet.source(), packet.destination(), packet.sourcePort(), packet.port(), /* zone= */ 0);
        List<NodeFlow> entries = new ArrayList<>();
        for (Map.Entry<String, Conntrack> node : nodes.entrySet()) {
            node.getValue().get(protocol, sent).ifPresent(flow -> entries.add(new NodeFlow(node.getKey(), flow)));
        }
        return entries;
    }

    @Override
    public void close() {
        nodes.values().forEach(Conntrack::close);
    }
}
