package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes without a pause, while the API server starts again and the proxy is killed in turns. */
@Tag("netns")
@Tag("timing")
@Timeout(7200)
class SoakTest {
    /** With a kill at the end of each second one. */
    private static final int ROUNDS = Repetitions.of(2, 20);

    private static final int CHANGES_OF_ROUND = Repetitions.of(100, 6000);
    private static final int SERVICES = Repetitions.of(20, 2000);
    private static final int CHANGES_PER_SECOND = 100;

    static Stream<Contender> contenders() {
        return Repetitions.areWhole()
                ? Stream.of(Contender.NFTABLES, Contender.IPTABLES, Contender.USERSPACE)
                : Stream.of(Contender.NFTABLES);
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void rulesAreThoseOfAFreshStartAndMemoryStays(Contender contender) throws Exception {
        try (FollowedNode node =
                new FollowedNode(new KernelLinuxNet(), contender, TestPrograms.programs(), SERVICES, 5)) {
            node.putProbe(1, true);
            Process proxy = started(node);
            List<Long> residents = new ArrayList<>();
            try (SliceChanges changes = new SliceChanges(node, SERVICES, CHANGES_PER_SECOND)) {
                for (int round = 0; round < ROUNDS; round++) {
                    int enough = changes.count() + CHANGES_OF_ROUND;
                    Eventually.isTrue(CHANGES_OF_ROUND + " changes", () -> changes.count() >= enough);
                    if (round % 2 == 0) {
                        node.restartServer();
                    } else {
                        residents.add(ProcessUsage.of(List.of(proxy)).residentBytes());
                        node.end(proxy);
                        proxy = started(node);
                    }
                    follows(node, proxy);
                }
                changes.end();
                System.out.println(contender + ": " + changes.count() + " changes, resident " + residents);
            }
            follows(node, proxy);
            List<String> kept = rules(node);

            node.end(proxy);
            node.output(List.of("nft", "flush", "ruleset"));
            follows(node, started(node));
            assertThat(kept).isEqualTo(rules(node)).anyMatch(line -> line.contains("10.98.0.1"));
            if (Repetitions.areWhole()) {
                assertThat(residents.get(residents.size() - 1)).isLessThan(residents.get(0) * 5 / 4);
            }
        }
    }

    private static Process started(FollowedNode node) throws IOException, InterruptedException {
        Process proxy = node.start();
        node.millisUntilAnswered(proxy, 1, System.nanoTime());
        return proxy;
    }

    /** All that was changed before is in force too when this returns. */
    private static void follows(FollowedNode node, Process proxy) throws IOException, InterruptedException {
        node.putProbeSlice(1, false);
        node.millisUntilRefused(proxy, 1, System.nanoTime());
        node.putProbeSlice(1, true);
        node.millisUntilAnswered(proxy, 1, System.nanoTime());
    }

    /**
     * Without counters and order, as a set lists its elements by a hash with a seed of its own; and without the port of
     * the relay, which each process chooses anew.
     */
    private static List<String> rules(FollowedNode node) throws IOException, InterruptedException {
        return Stream.of(node.output(List.of("nft", "list", "ruleset"))
                        .replaceAll("counter packets \\d+ bytes \\d+", "counter")
                        .replaceAll("(\" : )\\d+(?![.\\d])", "$1the relay")
                        .split("[,\n]", -1))
                .map(String::strip)
                .sorted()
                .toList();
    }
}
