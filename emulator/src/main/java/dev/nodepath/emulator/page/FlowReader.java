package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.NaturalOrder;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.FlowProgress;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.page.Flow;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.PageFlows;
import dev.nodepath.page.Picture;
import dev.nodepath.page.PicturedService;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the flows of the cluster: connections from the connection tracking of all nodes, and attempts that
 * NetworkPolicies refused.
 */
final class FlowReader implements PageFlows, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlowReader.class);

    /** A longer list would be of no use to a reader. */
    private static final int FLOWS_MAX = 1000;

    private static final String COUNTING = "net/netfilter/nf_conntrack_acct";

    private static final Comparator<Flow> ORDER = Comparator.comparing(
                    (Flow flow) -> flow.from().name(), NaturalOrder.NAMES)
            .thenComparing(flow -> flow.to().name(), NaturalOrder.NAMES)
            .thenComparing(Flow::id);

    private static final Comparator<FlowProgress> NEWEST = Comparator.comparing(FlowProgress::isEnded)
            .thenComparing(FlowProgress::secondsLeft, Comparator.reverseOrder());

    private final Cluster cluster;
    private final KernelLinuxNet net;
    private final Supplier<Picture> picture;
    private final InstantSource clock;
    private @Nullable NodeTracking nodes;
    private @Nullable RefusedAttempts refused;

    /**
     * Reads no node yet.
     *
     * @param picture the cluster as the page shows it
     */
    FlowReader(Cluster cluster, KernelLinuxNet net, Supplier<Picture> picture, InstantSource clock) {
        this.cluster = cluster;
        this.net = net;
        this.picture = picture;
        this.clock = clock;
    }

    /**
     * Makes the nodes count the packets and bytes of flows. Without such counters flows are shown without their bytes.
     */
    void count() {
        for (NodeInfo node : cluster.topology().nodes()) {
            try {
                cluster.node(node.name()).setSysctl(COUNTING, "1");
            } catch (LinuxNetException e) {
                LOG.atInfo()
                        .addKeyValue("node", node.name())
                        .addKeyValue("problem", e.getMessage())
                        .log("page.flows_not_counted");
            }
        }
    }

    /** Opens the namespace of a restarted node. */
    void openAgain() {
        close();
        count();
    }

    @Override
    public synchronized FlowList read() throws LinuxNetException {
        NodeTracking tracking = nodes;
        if (tracking == null) {
            tracking = NodeTracking.open(cluster, net);
            nodes = tracking;
        }
        RefusedAttempts attempts = refused;
        if (attempts == null) {
            attempts = RefusedAttempts.open(cluster, net, clock);
            refused = attempts;
        }
        FlowNames names = new FlowNames(picture.get());
        List<Flow> flows = new ArrayList<>(attempts.list(names));
        List<Flow> tracked = flows(tracking.list(), names);
        int all = flows.size() + tracked.size();
        tracked.stream()
                .limit(Math.max(0, FLOWS_MAX - flows.size()))
                .sorted(ORDER)
                .forEach(flows::add);
        return new FlowList(clock.millis(), all, flows);
    }

    /**
     * The flows of pods and Services from the nodes' connection tracking entries; other entries are left out. Those
     * that have ended come last, the oldest at the end: of too many, a reader misses these least.
     */
    static List<Flow> flows(List<NodeFlow> entries, FlowNames names) {
        return FlowChains.of(
                        entries, entry -> names.nodeOf(entry.sent().source()).equals(entry.node()))
                .stream()
                .sorted(Comparator.comparing(chain -> chain.get(0).flow().progress(), NEWEST))
                .map(chain -> flow(chain, names))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Flow> flow(List<NodeFlow> chain, FlowNames names) {
        NodeFlow first = chain.get(0);
        ConntrackFlow flow = first.flow();
        String protocol = flow.protocol() == Protocol.TCP.number() ? "tcp" : "udp";
        Packet sent = first.sent();
        Packet became = chain.get(chain.size() - 1).became();
        Optional<PicturedService> service = names.service(sent.destination(), sent.port(), protocol);
        boolean ofPods = Stream.of(sent.source(), sent.destination(), became.destination())
                .anyMatch(names::isPod);
        if (service.isEmpty() && !ofPods) {
            return Optional.empty();
        }
        boolean relayed =
                service.filter(each -> isRelayed(each, sent, became, names)).isPresent();
        String end = names.owner(became.destination());
        return Optional.of(new Flow(
                first.node() + "-" + Integer.toUnsignedString(flow.id()),
                protocol,
                new Flow.Place(names.owner(sent.source()), sent.origin()),
                new Flow.Place(sentTo(sent, service, names), sent.target()),
                service.map(PicturedService::id).orElse(""),
                new Flow.Place(relayed ? "the relay on " + end : end, became.target()),
                became.origin(),
                state(flow),
                service.filter(each -> !relayed && !sent.destination().equals(became.destination()))
                        .map(each -> FlowNames.endpointState(each, became.destination()))
                        .orElse(""),
                flow.progress().packets(),
                flow.progress().bytes(),
                chain.stream().map(FlowReader::entry).toList()));
    }

    private static Flow.Entry entry(NodeFlow entry) {
        return new Flow.Entry(
                entry.node(), entry.sent().toString(), entry.became().toString());
    }

    /** The Service's port, or the owner of the address with the port. */
    private static String sentTo(Packet sent, Optional<PicturedService> service, FlowNames names) {
        String name = names.isNode(sent.destination())
                ? names.owner(sent.destination())
                : service.map(PicturedService::id).orElseGet(() -> names.owner(sent.destination()));
        return name.isEmpty() ? "" : name + ":" + sent.port();
    }

    /**
     * Whether a packet goes to a relay of userspace mode on a node; the relay opens a connection of its own to the
     * endpoint.
     */
    private static boolean isRelayed(PicturedService service, Packet sent, Packet became, FlowNames names) {
        return names.mode(names.nodeOf(became.destination())).equals(ProxyMode.USERSPACE.toString())
                && names.isNode(became.destination())
                && !sent.target().equals(became.target())
                && FlowNames.endpointState(service, became.destination()).equals(FlowNames.GONE);
    }

    private static String state(ConntrackFlow flow) {
        if (flow.protocol() == Protocol.TCP.number()) {
            return flow.progress().state();
        }
        return flow.answered() ? "ANSWERED" : "UNANSWERED";
    }

    @Override
    public synchronized void close() {
        if (nodes != null) {
            nodes.close();
            nodes = null;
        }
        if (refused != null) {
            refused.close();
            refused = null;
        }
    }
}
