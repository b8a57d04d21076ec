package dev.nodepath.emulator.page;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.packet.PacketHeader;
import dev.nodepath.linux.packet.PacketLog;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.page.Flow;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The attempts that NetworkPolicies on the nodes have refused in the last minute. */
final class RefusedAttempts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedAttempts.class);

    private static final String STATE = "REFUSED";

    /** The most attempts that are kept; the oldest one leaves. */
    static final int KEPT_MAX = 200;

    private static final Duration KEPT = Duration.ofMinutes(1);

    /** The most packets of a node in one look. */
    private static final int PACKETS_MAX = 1000;

    private final InstantSource clock;
    private final Map<String, PacketLog> nodes = new LinkedHashMap<>();
    private final Map<Attempt, Seen> attempts = new LinkedHashMap<>();
    private long looked;

    /** The attempts of one client, from any of its ports. */
    private record Attempt(String node, int protocol, IpAddress source, IpAddress destination, int port) {}

    /** The last packet, and the number of packets. */
    private record Seen(Packet packet, long count, long at) {}

    /** Listens to no node yet. */
    RefusedAttempts(InstantSource clock) {
        this.clock = clock;
        this.looked = clock.millis();
    }

    /** Listens to all nodes. A node is left out if another page already listens to it. */
    static RefusedAttempts open(Cluster cluster, KernelLinuxNet net, InstantSource clock) {
        RefusedAttempts attempts = new RefusedAttempts(clock);
        for (NodeInfo node : cluster.topology().nodes()) {
            try {
                attempts.nodes.put(
                        node.name(), cluster.node(node.name()).call(() -> net.packetLog(Cluster.REFUSED_GROUP)));
            } catch (LinuxNetException e) {
                LOG.atInfo()
                        .addKeyValue("node", node.name())
                        .addKeyValue("problem", e.getMessage())
                        .log("page.refused_not_shown");
            }
        }
        return attempts;
    }

    /** The attempts of the last minute, in the order of their last packets. */
    List<Flow> list(FlowNames names) throws LinuxNetException {
        long oldest = clock.millis() - KEPT.toMillis();
        boolean late = looked < oldest;
        for (Map.Entry<String, PacketLog> node : nodes.entrySet()) {
            // Packets that have waited for long have no known time, so they are dropped.
            node.getValue().poll(PACKETS_MAX).stream()
                    .filter(packet -> !late)
                    .forEach(packet -> add(node.getKey(), packet));
        }
        looked = clock.millis();
        attempts.values().removeIf(seen -> seen.at < oldest);
        return attempts.entrySet().stream()
                .map(entry -> flow(entry.getKey(), entry.getValue(), names))
                .toList();
    }

    /** Notes a packet that a node has refused. */
    void add(String node, PacketHeader packet) {
        if (packet.protocol() != Protocol.TCP.number() && packet.protocol() != Protocol.UDP.number()) {
            return;
        }
        Attempt attempt =
                new Attempt(node, packet.protocol(), packet.source(), packet.destination(), packet.destinationPort());
        Seen before = attempts.remove(attempt);
        attempts.put(
                attempt,
                new Seen(
                        new Packet(
                                packet.source(), packet.sourcePort(), packet.destination(), packet.destinationPort()),
                        before == null ? 1 : before.count + 1,
                        clock.millis()));
        if (attempts.size() > KEPT_MAX) {
            attempts.remove(attempts.keySet().iterator().next());
        }
    }

    private static Flow flow(Attempt attempt, Seen seen, FlowNames names) {
        String protocol = attempt.protocol == Protocol.TCP.number() ? "tcp" : "udp";
        Packet packet = seen.packet;
        String owner = names.owner(packet.destination());
        return new Flow(
                "refused-" + attempt.node + "-" + protocol + "-" + attempt.source + "-" + packet.target(),
                protocol,
                new Flow.Place(names.owner(packet.source()), packet.origin()),
                new Flow.Place(owner.isEmpty() ? "" : owner + ":" + packet.port(), packet.target()),
                "",
                new Flow.Place("", "nowhere: NetworkPolicies on " + attempt.node),
                "",
                STATE,
                "",
                seen.count,
                0,
                List.of(new Flow.Entry(attempt.node, packet.toString(), "nothing: NetworkPolicies refuse it")));
    }

    @Override
    public void close() {
        nodes.values().forEach(PacketLog::close);
    }
}
