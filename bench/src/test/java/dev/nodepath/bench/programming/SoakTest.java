package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
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

    private static final int ROUND_SECONDS = Repetitions.of(1, 60);
    private static final int SERVICES = Repetitions.of(20, 2000);
    private static final int CHANGES_PER_SECOND = 100;

    private final AtomicInteger changes = new AtomicInteger();

    static Stream<Contender> contenders() {
        return Repetitions.areWhole()
                ? Stream.of(Contender.NFTABLES, Contender.IPTABLES, Contender.USERSPACE)
                : Stream.of(Contender.NFTABLES);
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void rulesAreThoseOfAFreshStartAndMemoryStays(Contender contender) throws Exception {
        ScheduledExecutorService changer = Executors.newSingleThreadScheduledExecutor();
        try (FollowedNode node =
                new FollowedNode(new KernelLinuxNet(), contender, TestPrograms.programs(), SERVICES, 5)) {
            node.putProbe(1, true);
            Process proxy = started(node);
            Future<?> changing = changer.scheduleAtFixedRate(
                    () -> change(node, changes.getAndIncrement()),
                    0,
                    TimeUnit.SECONDS.toNanos(1) / CHANGES_PER_SECOND,
                    TimeUnit.NANOSECONDS);
            List<Long> residents = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                TimeUnit.SECONDS.sleep(ROUND_SECONDS);
                if (round % 2 == 0) {
                    node.restartServer();
                } else {
                    residents.add(ProcessUsage.of(List.of(proxy)).residentBytes());
                    node.end(proxy);
                    proxy = started(node);
                }
                follows(node, proxy);
            }
            assertThat(changing.isDone()).as("changed until now").isFalse();
            changer.shutdown();
            assertThat(changer.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
            follows(node, proxy);
            String kept = rules(node);

            node.end(proxy);
            node.output(List.of("nft", "flush", "ruleset"));
            follows(node, started(node));
            assertThat(kept).isEqualTo(rules(node)).contains("10.98.0.1");
            System.out.println(contender + ": " + changes + " changes, resident " + residents);
            if (Repetitions.areWhole()) {
                assertThat(residents.get(residents.size() - 1)).isLessThan(residents.get(0) * 5 / 4);
            }
        } finally {
            changer.shutdownNow();
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

    private static void change(FollowedNode node, int number) {
        node.putSlice(number % SERVICES, 1 + number / SERVICES);
    }

    /** Without counters and order: a set lists its elements by a hash whose seed is its own. */
    private static String rules(FollowedNode node) throws IOException, InterruptedException {
        return Stream.of(node.output(List.of("nft", "list", "ruleset"))
                        .replaceAll("counter packets \\d+ bytes \\d+", "counter")
                        .split("[,\n]", -1))
                .map(String::strip)
                .sorted()
                .collect(Collectors.joining("\n"));
    }
}
