package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.NaturalOrder;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.page.PageFlows;
import dev.nodepath.page.flow.Flow;
import dev.nodepath.page.flow.FlowList;
import dev.nodepath.page.picture.ServicePart;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads who talks to whom from the connection tracking of all nodes. */
final class FlowReader implements PageFlows, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlowReader.class);

    /** A page with more would be of no use to a reader. */
    private static final int FLOWS_MAX = 1000;

    private static final String COUNTING = "net/netfilter/nf_conntrack_acct";

    private static final Comparator<Flow> ORDER = Comparator.comparing(
                    (Flow flow) -> flow.from().name(), NaturalOrder.NAMES)
            .thenComparing(flow -> flow.to().name(), NaturalOrder.NAMES)
            .thenComparing(Flow::id, NaturalOrder.NAMES);

    private final Cluster cluster;
    private final KernelLinuxNet net;
    private final Clock clock;
    private final PictureReader pictures;
    private final Map<String, Conntrack> nodes = new LinkedHashMap<>();

    FlowReader(Cluster cluster, KernelLinuxNet net, Clock clock) {
        this.cluster = cluster;
        this.net = net;
        this.clock = clock;
        this.pictures = new PictureReader(cluster);
    }

    /** Has the nodes count what flows carry from now on. Where they cannot, flows are shown without their bytes. */
    void count() {
        for (NodeInfo node : cluster.topology().nodes()) {
            try {
                cluster.node(node.name()).setSysctl(COUNTING, "1");
            } catch (LinuxNetException e) {
                LOG.info("page.flows_not_counted node={} problem=\"{}\"", node.name(), e.getMessage());
            }
        }
    }

    @Override
    public synchronized FlowList read() throws LinuxNetException {
        FlowNames names = new FlowNames(pictures.read());
        List<NodeFlow> entries = new ArrayList<>();
        for (NodeInfo node : cluster.topology().nodes()) {
            Conntrack conntrack = conntrack(node.name());
            for (IpFamily family : IpFamily.values()) {
                for (Protocol protocol : List.of(Protocol.TCP, Protocol.UDP)) {
                    conntrack
                            .find(family, protocol.number(), flow -> true)
                            .forEach(flow -> entries.add(new NodeFlow(node.name(), flow)));
                }
            }
        }
        List<Flow> flows = flows(entries, names);
        return new FlowList(
                clock.millis(), flows.size(), flows.stream().limit(FLOWS_MAX).toList());
    }

    private Conntrack conntrack(String node) throws LinuxNetException {
        Conntrack open = nodes.get(node);
        if (open == null) {
            open = cluster.node(node).call(() -> net.conntrack());
            nodes.put(node, open);
        }
        return open;
    }

    /** The flows of what nodes remember, but for what has nothing to do with pods and Services. */
    static List<Flow> flows(List<NodeFlow> entries, FlowNames names) {
        return FlowChains.of(
                        entries, entry -> names.nodeOf(entry.sent().source()).equals(entry.node()))
                .stream()
                .map(chain -> flow(chain, names))
                .flatMap(Optional::stream)
                .sorted(ORDER)
                .toList();
    }

    private static Optional<Flow> flow(List<NodeFlow> chain, FlowNames names) {
        NodeFlow first = chain.get(0);
        ConntrackFlow flow = first.flow();
        String protocol = flow.protocol() == Protocol.TCP.number() ? "tcp" : "udp";
        Packet sent = first.sent();
        Packet became = chain.get(chain.size() - 1).became();
        Optional<ServicePart> service = names.service(sent.destination(), sent.port(), protocol);
        boolean ofPods =
                names.isPod(sent.source()) || names.isPod(sent.destination()) || names.isPod(became.destination());
        if (service.isEmpty() && !ofPods) {
            return Optional.empty();
        }
        boolean translated = !sent.destination().equals(became.destination());
        boolean relayed =
                service.filter(each -> isRelayed(each, sent, became, names)).isPresent();
        Flow.Place to = new Flow.Place(
                service.filter(each -> !names.isNode(sent.destination()))
                        .map(each -> each.id() + ":" + sent.port())
                        .orElseGet(() -> withPort(names.owner(sent.destination()), sent.port())),
                sent.destination().withPort(sent.port()));
        return Optional.of(new Flow(
                first.node() + "-" + Integer.toUnsignedString(flow.id()),
                protocol,
                new Flow.Place(names.owner(sent.source()), sent.source().withPort(sent.sourcePort())),
                to,
                service.map(ServicePart::id).orElse(""),
                new Flow.Place(
                        relayed
                                ? "the relay on " + names.owner(became.destination())
                                : names.owner(became.destination()),
                        became.destination().withPort(became.port())),
                became.source().withPort(became.sourcePort()),
                state(flow),
                service.filter(each -> translated && !relayed)
                        .map(each -> FlowNames.endpointState(each, became.destination()))
                        .orElse(""),
                flow.progress().packets(),
                flow.progress().bytes(),
                chain.stream()
                        .map(entry -> new Flow.Entry(
                                entry.node(),
                                entry.sent().toString(),
                                entry.became().toString()))
                        .toList()));
    }

    /** Whether it goes to the relay of userspace mode on a node, which connects to the endpoint by itself. */
    private static boolean isRelayed(ServicePart service, Packet sent, Packet became, FlowNames names) {
        return names.mode().equals(ProxyMode.USERSPACE.toString())
                && names.isNode(became.destination())
                && !sent.destination()
                        .withPort(sent.port())
                        .equals(became.destination().withPort(became.port()))
                && FlowNames.endpointState(service, became.destination()).equals(FlowNames.GONE);
    }

    private static String withPort(String owner, int port) {
        return owner.isEmpty() ? "" : owner + ":" + port;
    }

    private static String state(ConntrackFlow flow) {
        if (flow.protocol() == Protocol.TCP.number()) {
            return flow.progress().state();
        }
        return flow.answered() ? "ANSWERED" : "UNANSWERED";
    }

    @Override
    public synchronized void close() {
        nodes.values().forEach(Conntrack::close);
        nodes.clear();
    }
}
