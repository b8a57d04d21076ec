package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.trace.Question;
import dev.nodepath.endpoints.trace.QuestionedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTables;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tracer agrees with the kernel about the same table, in both families and both layouts. */
@Tag("netns")
class TableTracerNetnsTest {
    static final int FEW_SEEDS = 8;

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

    private static void serve(TracedCluster cluster) throws Exception {
        try (NftablesProxy proxy = new NftablesProxy(
                cluster.config(),
                List.of(cluster.family()),
                nft,
                true,
                () -> cluster.config().common().hostAddresses())) {
            proxy.sync(cluster.snapshot(), ChangeSet.NONE);
        }
        // Flows of the table before are no part of the question.
        network.hosts().iptables(Host.NODE).run("conntrack", "-F");
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4, 10.244.0.0/16, false",
        "IPV4, 10.244.1.0/24, true",
        "IPV6, fd00:10:244::/56, true",
        "IPV6, fd00:10:244:1::/64, false"
    })
    void tellsWhatTheKernelDoes(IpFamily family, Cidr pods, boolean masqueradeAll) throws Exception {
        TracedCluster cluster = TracedCluster.ofPolicies(family, pods, masqueradeAll);
        serve(cluster);
        Function<TracedPacket, Trace> tracer = cluster.tracer();
        Set<String> promised = new TreeSet<>();
        for (Question question : cluster.questions()) {
            promised.addAll(QuestionedNetwork.promised(question.packet(), tracer.apply(question.packet())));
        }
        assertThat(network.differences(cluster.questions(), tracer, true)).isEmpty();
        assertThat(promised)
                .contains("DROP", "REJECT", "LOCAL_SERVER sees " + RoutedNetwork.podGateway(family))
                .contains("REMOTE_SERVER sees " + Host.NODE.address(family))
                .contains("LOCAL_SERVER sees " + Host.OUTSIDE.address(family));
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Repetitions.of(FEW_SEEDS, 200));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void tellsWhatTheKernelDoesWithRandomFlows(long seed) throws Exception {
        TracedCluster cluster = TracedCluster.random(seed);
        serve(cluster);
        assertThat(network.differences(cluster.questions(), cluster.tracer(), false))
                .as("seed %d: %s", seed, cluster)
                .isEmpty();
    }
}
