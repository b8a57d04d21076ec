package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Repetitions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes come and go while the plugin and its server are killed. */
@Tag("containerd")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ContainerdFaultsTest {
    private static final int ROUNDS = Repetitions.of(24, 200);
    private static final int WORKERS = 4;
    private static final int TRIES_MAX = 20;

    /** The longest that a plugin lives before it is killed, in milliseconds: a served ADD, and the JVM's. */
    private static final int[] LIFETIME_MAX = {6, 120};

    @TempDir(cleanup = CleanupMode.NEVER) // in the tmpfs of the enclosure, and busy until that ends
    Path directory;

    private final Set<String> addresses = ConcurrentHashMap.newKeySet();

    @Test
    void leavesNothingWhenThePluginOrTheServerIsKilled() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed: " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Node node = Node.start(directory);
        ExecutorService kubelet = Executors.newFixedThreadPool(WORKERS);
        try {
            List<Future<Integer>> rounds = new ArrayList<>();
            for (int i = 0; i < ROUNDS; i++) {
                String pod = "p" + i;
                SplittableRandom own = random.split();
                rounds.add(kubelet.submit(() -> round(node, pod, own)));
            }
            int failures = 0;
            for (Future<Integer> round : rounds) {
                failures += round.get();
            }
            System.out.println("calls that failed and were made again: " + failures);
            assertThat(failures).as("calls that a kill made fail").isPositive();
        } finally {
            kubelet.shutdownNow();
        }
        node.assertNothingIsLeft();
        node.stop();
    }

    /** One pod as a kubelet has it: each step is tried until it succeeds. Returns how many tries failed. */
    private int round(Node node, String pod, SplittableRandom random) throws Exception {
        Cri cri = node.containerd().cri();
        int kind = random.nextInt(3);
        if (kind < 2) {
            int millis = random.nextInt(LIFETIME_MAX[random.nextInt(2)]);
            node.containerd().arm(pod, kind == 0 ? "ADD" : "DEL", "kill 0.%03d\n".formatted(millis));
        } else {
            node.killServerAfter(random.nextInt(200));
        }
        List<String> made = new ArrayList<>();
        int failures = untilDone(() -> {
            removeAll(cri, cri.list(pod));
            made.add(cri.run(pod, OptionalInt.empty()));
        });
        String id = made.get(0);
        String address = cri.address(id);
        assertThat(addresses.add(address))
                .as(address + " is given to two sandboxes")
                .isTrue();
        assertThat(node.ownerOf(address)).isEqualTo(id + "\r\neth0");
        addresses.remove(address); // from here on it may be given again
        failures += untilDone(() -> removeAll(cri, List.of(id)));
        return failures;
    }

    private static void removeAll(Cri cri, List<String> ids) throws Exception {
        for (String id : ids) {
            cri.stop(id);
            cri.remove(id);
        }
    }

    /** A step that a kubelet would try again. */
    private interface Step {
        void run() throws Exception;
    }

    private static int untilDone(Step step) throws Exception {
        for (int failures = 0; ; failures++) {
            try {
                step.run();
                return failures;
            } catch (Cri.Refusal e) {
                System.out.println(
                        "tried again after: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
                assertThat(failures).as(String.valueOf(e.getMessage())).isLessThan(TRIES_MAX);
            }
        }
    }
}
