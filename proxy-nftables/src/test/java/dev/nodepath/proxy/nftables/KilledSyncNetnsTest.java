package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.RandomChanges;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftNamespace;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A syncing process is repeatedly killed with SIGKILL at random moments. The next process continues from its
 * leftovers.
 */
@Tag("netns")
class KilledSyncNetnsTest {
    private static final int STEPS_MAX = 8;
    private static final int KILL_MILLIS_MAX = 10;
    private static final int ROUNDS = Repetitions.of(6, 200);
    private static final int SMALL_BYTES = 4 * 1024;

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final RandomChanges changes = new RandomChanges(seed);
    private final List<ServiceSnapshot> history = new ArrayList<>();

    private ServiceSnapshot after(int step) {
        while (history.size() <= step) {
            history.add(changes.next().snapshot());
        }
        return history.get(step);
    }

    /** Runs the process until it is killed, and returns the number of the step that it had begun. */
    private int killed(NftNamespace namespace, int first, int bytesMax) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dslf4j.internal.verbosity=ERROR",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SyncingProcess.class.getName(),
                        namespace.name(),
                        String.valueOf(seed),
                        String.valueOf(first),
                        String.valueOf(bytesMax)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String last = output.readLine();
            for (int more = random.nextInt(STEPS_MAX); more > 0 && last != null; more--) {
                last = output.readLine();
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(KILL_MILLIS_MAX));
            process.toHandle().destroyForcibly();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                last = line;
            }
            assertThat(last).as("seed %d: the process has begun a step", seed).isNotNull();
            return Integer.parseInt(last);
        }
    }

    /** The table after a step; none before the first. */
    private Optional<NftTableState> desired(int step, IpFamily family) throws Exception {
        FakeNftTables fresh = new FakeNftTables();
        if (step >= 0) {
            proxy(fresh).sync(after(step), ChangeSet.NONE);
        }
        return fresh.read(NftablesRules.table(family));
    }

    private static NftablesProxy proxy(NftTables tables) {
        return new NftablesProxy(SyncingProcess.CONFIG, List.of(IpFamily.values()), tables, true, List::of);
    }

    @Test
    void leavesWhatWasInForceBeforeTheStepOrAfterIt() throws Exception {
        try (NftNamespace namespace = NftNamespace.create()) {
            int step = 0;
            for (int round = 0; round < ROUNDS; round++) {
                step = killed(namespace, step, Integer.MAX_VALUE);
                for (IpFamily family : IpFamily.values()) {
                    assertThat(namespace.tables().read(NftablesRules.table(family)))
                            .as("seed %d round %d, killed in step %d", seed, round, step)
                            .isIn(desired(step - 1, family), desired(step, family));
                }
            }
            assertThat(step).as("seed %d", seed).isPositive();
        }
    }

    /** Between the transactions of one sync, too, all that is led to is finished. */
    @Test
    void leavesNoUnfinishedChainWithASmallSendBuffer() throws Exception {
        try (NftNamespace namespace = NftNamespace.create()) {
            int step = 0;
            for (int round = 0; round < ROUNDS; round++) {
                step = killed(namespace, step, SMALL_BYTES);
                String when = "seed " + seed + " round " + round + ", killed in step " + step;
                namespace
                        .tables()
                        .read(NftablesRules.table(IpFamily.IPV4))
                        .ifPresent(left ->
                                assertThat(UnfinishedChains.of(left)).as(when).isEmpty());
            }
            proxy(namespace.tables()).sync(after(step), ChangeSet.NONE);
            for (IpFamily family : IpFamily.values()) {
                assertThat(namespace.tables().read(NftablesRules.table(family)))
                        .as("seed %d", seed)
                        .isEqualTo(desired(step, family));
            }
        }
    }
}
