package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.trace.PolicyQuestions;
import dev.nodepath.endpoints.trace.Question;
import dev.nodepath.endpoints.trace.QuestionedNetwork;
import dev.nodepath.endpoints.trace.RandomQuestions;
import dev.nodepath.endpoints.trace.RoutedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.proxy.nftables.rules.NftablesConfig;
import dev.nodepath.proxy.nftables.rules.SingleEndpoint;
import dev.nodepath.proxy.nftables.trace.TableTracer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tracer's answer is what the kernel does with the same table, in both families and both layouts. */
@Tag("netns")
class TableTracerNetnsTest {
    private static QuestionedNetwork network;
    private static NftTables nft;

    @BeforeAll
    static void make() throws Exception {
        network = new QuestionedNetwork();
        nft = network.hosts().handle(Host.NODE).call(() -> new KernelLinuxNet().nftTables());
    }

    @AfterAll
    static void close() throws Exception {
        nft.close();
        network.close();
    }

    private static NftablesConfig config(
            IpFamily family,
            DetectLocal pods,
            boolean masqueradeAll,
            NodePortAddresses nodePorts,
            SingleEndpoint singleEndpoint) {
        return new NftablesConfig(
                "n1",
                pods,
                masqueradeAll,
                14,
                nodePorts,
                List.copyOf(RoutedNetwork.nodeAddresses(family)),
                singleEndpoint);
    }

    /** Writes the table, and gives a tracer of it. */
    private static Function<TracedPacket, Trace> serve(ServiceSnapshot snapshot, NftablesConfig config, IpFamily family)
            throws Exception {
        try (NftablesProxy proxy = new NftablesProxy(config, List.of(family), nft, true, config::hostAddresses)) {
            proxy.sync(snapshot, ChangeSet.NONE);
        }
        // Flows of the table before are no part of the question.
        network.hosts().iptables(Host.NODE).run("conntrack", "-F");
        NftTableState table = NftablesProxy.table(snapshot, config, family);
        return packet -> TableTracer.trace(table, packet, RoutedNetwork.nodeAddresses(family));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4, 10.244.0.0/16, false",
        "IPV4, 10.244.1.0/24, true",
        "IPV6, fd00:10:244::/56, true",
        "IPV6, fd00:10:244:1::/64, false"
    })
    void tellsWhatTheKernelDoes(IpFamily family, Cidr pods, boolean masqueradeAll) throws Exception {
        PolicyQuestions policies = new PolicyQuestions(family);
        DetectLocal local = new DetectLocal.ClusterCidr(List.of(pods));
        NftablesConfig config = config(family, local, masqueradeAll, NodePortAddresses.PRIMARY, SingleEndpoint.MAP);
        Function<TracedPacket, Trace> tracer = serve(policies.snapshot(), config, family);
        Set<String> promised = new TreeSet<>();
        for (Question question : policies.questions()) {
            promised.addAll(QuestionedNetwork.promised(question.packet(), tracer.apply(question.packet())));
        }
        assertThat(network.differences(policies.questions(), tracer, true)).isEmpty();
        assertThat(promised)
                .contains("DROP", "REJECT", "LOCAL_SERVER sees " + RoutedNetwork.podGateway(family))
                .contains("REMOTE_SERVER sees " + Host.NODE.address(family))
                .contains("LOCAL_SERVER sees " + Host.OUTSIDE.address(family));
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Repetitions.of(8, 200));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void tellsWhatTheKernelDoesWithRandomFlows(long seed) throws Exception {
        Random random = new Random(~seed);
        IpFamily family = random.nextBoolean() ? IpFamily.IPV4 : IpFamily.IPV6;
        RandomQuestions cluster = new RandomQuestions(seed, family, random.nextBoolean() ? SharedMapPorts.MANY : 0);
        DetectLocal pods = switch (random.nextInt(4)) {
            case 0 -> DetectLocal.NONE;
            case 1 -> new DetectLocal.NodeCidr();
            case 2 -> DetectLocal.interfaceNamePrefix("pod");
            default -> new DetectLocal.ClusterCidr(List.of(cluster.podCidr()));
        };
        NodePortAddresses nodePorts = switch (random.nextInt(3)) {
            case 0 -> NodePortAddresses.ALL;
            case 1 -> new NodePortAddresses(List.of(cluster.podCidr()), false);
            default -> NodePortAddresses.PRIMARY;
        };
        SingleEndpoint single = random.nextBoolean() ? SingleEndpoint.MAP : SingleEndpoint.DNAT;
        NftablesConfig config = config(family, pods, random.nextInt(4) == 0, nodePorts, single);
        Function<TracedPacket, Trace> tracer = serve(cluster.snapshot(), config, family);
        assertThat(network.differences(cluster.questions(), tracer, false))
                .as("seed %d, %s, %s, %s", seed, family, config, asked(cluster))
                .isEmpty();
    }

    /** The Services that questions go to. */
    private static String asked(RandomQuestions cluster) {
        return cluster.services().stream().map(ServicePort::toString).collect(Collectors.joining("\n"));
    }
}
