package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.policy.BridgedPods.Host;
import dev.nodepath.policy.CyclonusShapesTest.Kernel;
import dev.nodepath.policy.CyclonusShapesTest.Walk;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods of two nodes move, and their tables follow by differences and after restarts. */
class PolicyHistoriesTest {
    private static final int STEPS = 30;
    private static final List<Integer> PROTOCOLS = List.of(6, 17, 132);
    private static final List<Integer> PORTS = List.of(75, 80, 81);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Repetitions.of(4, 300));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theTablesSayWhatTheEvaluatorSays(long seed) throws Exception {
        RandomObjects objects = RandomObjects.moving(seed);
        Map<PolicyNode, Kernel> kernels = new TreeMap<>(Comparator.comparing(PolicyNode::name));
        for (String node : List.of("n1", "n2")) {
            start(kernels, new PolicyNode(node, "cni0", false, false, 0), new FakeNftTables());
        }
        for (int step = 1; step <= STEPS; step++) {
            String where = "seed " + seed + ", step " + step;
            PolicyChanges changes = step == 1 ? PolicyChanges.NONE : objects.step();
            PolicySnapshot snapshot = objects.objects().snapshot();
            if (step % 7 == 0) {
                for (Kernel kernel : List.copyOf(kernels.values())) {
                    start(kernels, kernel.node(), kernel.nft());
                }
            }
            for (Kernel kernel : kernels.values()) {
                kernel.tables().sync(snapshot, changes);
                assertThat(kernel.tables().refused()).as(where).isEmpty();
            }
            for (IpFamily family : IpFamily.values()) {
                List<NftTableState> tables = new ArrayList<>();
                for (Kernel kernel : kernels.values()) {
                    tables.add(kernel.read(family, snapshot));
                }
                PolicyEvaluator evaluator = new PolicyEvaluator(snapshot);
                assertThat(packets(family))
                        .as(where)
                        .filteredOn(packet -> evaluator.judge(packet).passes() != Walk.passes(tables, packet))
                        .isEmpty();
            }
        }
    }

    private static void start(Map<PolicyNode, Kernel> kernels, PolicyNode node, FakeNftTables nft) {
        kernels.put(node, new Kernel(node, nft, new PolicyTables(nft, List.of(IpFamily.values()), node, true)));
    }

    private static List<PolicyPacket> packets(IpFamily family) {
        List<IpAddress> ends = new ArrayList<>();
        for (int number = 1; number <= RandomObjects.MOVING + 1; number++) {
            ends.add(RandomObjects.address(number, family));
        }
        ends.add(Host.NODE.address(family));
        ends.add(Host.OUTSIDE.address(family));
        List<PolicyPacket> packets = new ArrayList<>();
        for (IpAddress from : ends) {
            for (IpAddress to : ends) {
                for (int protocol : PROTOCOLS) {
                    PORTS.forEach(port -> packets.add(new PolicyPacket(from, to, protocol, port, false)));
                }
            }
        }
        return packets;
    }
}
