package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.page.KernelRules.KernelRule;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.PacketTrace;
import dev.nodepath.linux.nftables.TraceEvent;
import dev.nodepath.linux.packet.PacketHeader;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the kernels of all nodes report a packet's way through their rules. Each node gets a table that chooses new
 * connections to the packet's possible destinations, as no node knows the changes of the others. The table is removed
 * after the probe.
 */
final class KernelTrace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KernelTrace.class);

    /** More than the queue of the socket holds. */
    private static final int EVENTS_MAX = 500_000;

    private static final String NAME = "nodepath-probe-";
    /** Just behind connection tracking, which knows new connections, and before all else. */
    private static final int PRIORITY = -199;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Cluster cluster;
    private final KernelLinuxNet net;
    private final RunningProxies proxies;
    private final Walk walk;
    private final NftTable table;
    private final Map<String, PacketTrace> traces = new LinkedHashMap<>();
    private final Set<String> chosen = new HashSet<>();
    private final Map<String, String> notes = new LinkedHashMap<>();

    private KernelTrace(Cluster cluster, KernelLinuxNet net, RunningProxies proxies, Walk walk) {
        this.cluster = cluster;
        this.net = net;
        this.proxies = proxies;
        this.walk = walk;
        this.table = new NftTable(NftFamily.of(walk.to().address().family()), NAME + COUNT.incrementAndGet());
    }

    /** Begins to trace on every node. A node that cannot trace says so in the result. */
    static KernelTrace open(Cluster cluster, KernelLinuxNet net, RunningProxies proxies, Walk walk) {
        KernelTrace trace = new KernelTrace(cluster, net, proxies, walk);
        for (NodeInfo node : cluster.topology().nodes()) {
            trace.begin(node.name());
        }
        return trace;
    }

    private void begin(String node) {
        try {
            NetworkNamespace namespace = cluster.node(node);
            traces.put(node, namespace.call(net::packetTrace));
            namespace.nftApply(choice());
            chosen.add(node);
        } catch (LinuxNetException | IllegalStateException e) {
            notes.put(node, "The kernel of " + node + " does not trace packets: " + e.getMessage() + ".");
        }
    }

    private List<NftChange> choice() {
        NftRule rule = NftRule.of(
                new NftStatement.Protocol(walk.to().protocol().number()),
                new NftStatement.AddressIn(NftField.DESTINATION_ADDRESS, destinations(), false),
                new NftStatement.NewConnection(),
                new NftStatement.TraceOn());
        List<NftChange> changes = new ArrayList<>(List.of(new NftChange.AddTable(table)));
        for (String hook : List.of("prerouting", "output")) {
            NftChain chain = new NftChain(table, hook, Optional.of(NftChain.Hook.of("filter", hook, PRIORITY)));
            changes.add(new NftChange.AddChain(chain));
            changes.add(new NftChange.AddRule(chain, rule));
        }
        return changes;
    }

    private List<Cidr> destinations() {
        return Stream.concat(
                        Stream.of(walk.to().address()), walk.ends().stream().map(Walk.End::address))
                .distinct()
                .map(address -> new Cidr(address, address.family().bits()))
                .toList();
    }

    /**
     * The kernels' reports so far.
     *
     * @param forms the addresses of the packet before and after each change
     */
    KernelWay way(Set<Packet> forms) {
        Set<Origin> origins = forms.stream().map(Origin::of).collect(Collectors.toSet());
        List<KernelHop> hops = new ArrayList<>();
        traces.forEach((node, trace) -> {
            if (chosen.contains(node)) {
                read(node, trace, origins, hops);
            }
        });
        return new KernelWay(hops, notes.keySet(), List.copyOf(notes.values()));
    }

    /** The source of a packet; two connections of the same time differ in it. */
    record Origin(IpAddress address, int port) {
        static Origin of(Packet packet) {
            return new Origin(packet.source(), packet.sourcePort());
        }

        static Origin of(PacketHeader packet) {
            return new Origin(packet.source(), packet.sourcePort());
        }
    }

    private void read(String node, PacketTrace trace, Set<Origin> origins, List<KernelHop> hops) {
        try (KernelRules rules = KernelRules.open(cluster.node(node), net)) {
            List<TraceEvent> events = decidingPasses(trace.poll(EVENTS_MAX), origins);
            for (TraceEvent event : events) {
                if (event.kind() == TraceEvent.Kind.RULE) {
                    KernelRule rule = rules.of(event.table(), event.chain(), event.handle());
                    hops.add(new KernelHop(
                            node,
                            event.table().toString(),
                            event.chain(),
                            rule.text(),
                            rule.effect(),
                            event.verdict()));
                }
            }
            noteLegacy(node, events);
        } catch (LinuxNetException | IllegalStateException e) {
            notes.put(node, "What the kernel of " + node + " said is not known: " + e.getMessage() + ".");
        }
    }

    /**
     * The events of packets from these origins, each base chain once. A packet that is sent again meets the same
     * rules, with one exception: if a rule has dropped the first one before its connection was kept, the kernel
     * chooses an endpoint anew. The later packet then passes all chains again, those of type nat too, and its events
     * replace the earlier ones.
     */
    static List<TraceEvent> decidingPasses(List<TraceEvent> events, Set<Origin> origins) {
        Map<Origin, List<Pass>> passes = new HashMap<>();
        Map<Integer, NavigableMap<Integer, TraceEvent>> followed = new HashMap<>();
        for (int i = 0; i < events.size(); i++) {
            TraceEvent event = events.get(i);
            event.packet().ifPresent(packet -> {
                Origin origin = Origin.of(packet);
                if (origins.contains(origin)) {
                    followed.put(
                            event.id(), Pass.enter(passes.computeIfAbsent(origin, key -> new ArrayList<>()), event));
                } else {
                    followed.remove(event.id());
                }
            });
            NavigableMap<Integer, TraceEvent> chain = followed.get(event.id());
            if (chain != null && !event.table().name().startsWith(NAME)) {
                chain.put(i, event);
            }
        }
        NavigableMap<Integer, TraceEvent> found = new TreeMap<>();
        passes.values().forEach(each -> Pass.deciding(each).values().forEach(found::putAll));
        return List.copyOf(found.values());
    }

    private record BaseChain(NftTable table, String chain) {}

    /**
     * The events of one sent packet.
     *
     * @param chains the events of each base chain, by their place among all events
     */
    private record Pass(Map<BaseChain, NavigableMap<Integer, TraceEvent>> chains) {
        /** An event for a chain that was entered before begins a new pass. */
        static NavigableMap<Integer, TraceEvent> enter(List<Pass> passes, TraceEvent event) {
            BaseChain chain = new BaseChain(event.table(), event.chain());
            if (passes.isEmpty() || passes.get(passes.size() - 1).chains().containsKey(chain)) {
                passes.add(new Pass(new HashMap<>()));
            }
            NavigableMap<Integer, TraceEvent> passed = new TreeMap<>();
            passes.get(passes.size() - 1).chains().put(chain, passed);
            return passed;
        }

        static Map<BaseChain, NavigableMap<Integer, TraceEvent>> deciding(List<Pass> passes) {
            Map<BaseChain, NavigableMap<Integer, TraceEvent>> kept = new HashMap<>();
            for (Pass pass : passes) {
                if (pass.chains().keySet().containsAll(kept.keySet())) {
                    kept.clear();
                }
                pass.chains().forEach(kept::putIfAbsent);
            }
            return kept;
        }
    }

    private void noteLegacy(String node, List<TraceEvent> events) throws LinuxNetException {
        boolean traced = events.stream()
                .anyMatch(event -> KernelRules.ofIptables(event.table()).isPresent());
        boolean legacy = proxies.mode(node) == ProxyMode.IPTABLES
                && !traced
                && cluster.node(node).legacyTables(walk.to().address().family()).contains("nat");
        if (legacy) {
            notes.put(node, node + " has its rules in iptables-legacy, and the kernel does not trace those.");
        }
    }

    @Override
    public void close() {
        traces.values().forEach(PacketTrace::close);
        for (String node : chosen) {
            try {
                cluster.node(node).nftApply(List.of(new NftChange.DeleteTable(table)));
            } catch (LinuxNetException | IllegalStateException e) {
                LOG.atWarn()
                        .addKeyValue("node", node)
                        .addKeyValue("table", table)
                        .addKeyValue("problem", e.getMessage())
                        .log("page.trace_not_ended");
            }
        }
    }
}
