package dev.nodepath.emulator.page;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.packet.CapturedPacket;
import dev.nodepath.linux.packet.PacketCapture;
import dev.nodepath.linux.packet.PacketHeader;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Watches all links of all nodes while a packet is sent. */
final class WireCapture implements AutoCloseable {
    /** More than the queue of the socket holds. */
    private static final int PACKETS_MAX = 20_000;

    private final Cluster cluster;
    private final Walk walk;
    private final Map<String, PacketCapture> captures = new LinkedHashMap<>();
    private final Map<String, List<CapturedPacket>> carried = new LinkedHashMap<>();
    private final Map<String, String> notes = new LinkedHashMap<>();

    private WireCapture(Cluster cluster, Walk walk) {
        this.cluster = cluster;
        this.walk = walk;
    }

    /** Begins to capture on every node. A node that cannot capture says so in the result. */
    static WireCapture open(Cluster cluster, KernelLinuxNet net, Walk walk) {
        WireCapture capture = new WireCapture(cluster, walk);
        for (NodeInfo node : cluster.topology().nodes()) {
            try {
                capture.captures.put(node.name(), cluster.node(node.name()).call(net::packetCapture));
            } catch (LinuxNetException | IllegalStateException e) {
                capture.notes.put(
                        node.name(), "The links of " + node.name() + " cannot be watched: " + e.getMessage() + ".");
            }
        }
        return capture;
    }

    /** Reads the packets of the probe's protocol on the links so far; the methods below report them. */
    void read() {
        captures.forEach(this::read);
    }

    private void read(String node, PacketCapture capture) {
        try {
            carried.put(
                    node,
                    capture.poll(PACKETS_MAX).stream()
                            .filter(each -> each.header().protocol()
                                    == walk.to().protocol().number())
                            .toList());
            if (capture.lost() > 0) {
                notes.put(node, "The links of " + node + " carried more packets than could be watched.");
            }
        } catch (LinuxNetException e) {
            notes.put(node, unknown(node, e));
        }
    }

    private static String unknown(String node, Exception error) {
        return "What the links of " + node + " carried is not known: " + error.getMessage() + ".";
    }

    /** The packets of all nodes from this time on, in the order of time. */
    List<Packet> packetsSince(Instant time) {
        long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, time);
        return carried.values().stream()
                .flatMap(List::stream)
                .filter(each -> each.nanos() >= nanos)
                .sorted(Comparator.comparingLong(CapturedPacket::nanos))
                .map(each -> packet(each.header()))
                .toList();
    }

    /**
     * The addresses that the packet had on any link. A node no longer tracks a refused connection, but the sequence
     * number of TCP stays the same.
     *
     * @param known some of its known addresses
     */
    Set<Packet> forms(Set<Packet> known) {
        Set<Packet> forms = new HashSet<>(known);
        Set<Integer> sequences = carried.values().stream()
                .flatMap(List::stream)
                .filter(each -> known.contains(packet(each.header())))
                .map(CapturedPacket::sequence)
                .filter(sequence -> sequence != 0)
                .collect(Collectors.toSet());
        carried.values().stream()
                .flatMap(List::stream)
                .filter(each -> sequences.contains(each.sequence()))
                .forEach(each -> forms.add(packet(each.header())));
        return forms;
    }

    /**
     * The packets of a probe on the links.
     *
     * @param there its addresses before and after each change
     */
    WireWay way(Set<Packet> there) {
        List<WireHop> hops = new ArrayList<>();
        carried.forEach((node, packets) -> addHops(node, packets, there, hops));
        hops.sort(Comparator.comparingLong(WireHop::nanos));
        Set<String> watched = new HashSet<>(captures.keySet());
        watched.removeAll(notes.keySet());
        return new WireWay(hops, watched, List.copyOf(notes.values()));
    }

    private void addHops(String node, List<CapturedPacket> packets, Set<Packet> there, List<WireHop> hops) {
        try {
            Map<Integer, String> names =
                    cluster.node(node).links().stream().collect(Collectors.toMap(Link::index, Link::name));
            Set<Object> seen = new HashSet<>();
            for (CapturedPacket each : packets) {
                Packet packet = packet(each.header());
                boolean answer = there.contains(packet.back());
                // A packet that is sent again passes the same links.
                if ((answer || there.contains(packet)) && seen.add(List.of(each.link(), each.outgoing(), packet))) {
                    String link = names.getOrDefault(each.link(), "link " + each.link());
                    hops.add(new WireHop(
                            node, link, each.outgoing(), each.nanos(), packet, answer, each.encapsulated()));
                }
            }
        } catch (LinuxNetException | IllegalStateException e) {
            notes.put(node, unknown(node, e));
        }
    }

    private static Packet packet(PacketHeader header) {
        return new Packet(header.source(), header.sourcePort(), header.destination(), header.destinationPort());
    }

    @Override
    public void close() {
        captures.values().forEach(PacketCapture::close);
    }
}
