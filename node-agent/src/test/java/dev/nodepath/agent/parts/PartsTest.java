package dev.nodepath.agent.parts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class PartsTest {
    /** No wait is shortened. */
    private static final RandomGenerator NO_SPREAD = () -> 0;

    private final ManualPartTime time = new ManualPartTime();
    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    private final Parts parts =
            new Parts(time, NO_SPREAD, (part, error, retryIn) -> failures.add(part + ": " + Parts.explain(error)));

    private interface Work {
        void run(Running running) throws Exception;
    }

    private static Part part(String name, Work work) {
        return new Part() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void run(Running running) throws Exception {
                work.run(running);
            }
        };
    }

    private PartState state(String part) {
        return parts.states().getOrDefault(part, PartState.NEW);
    }

    @Test
    void onePartsFailureDoesNotTouchTheOthers() throws Exception {
        CountDownLatch bad = new CountDownLatch(3);
        try (parts) {
            parts.start(part("good", running -> {
                running.up();
                running.awaitStop(ManualPartTime.ENDLESS);
            }));
            parts.start(part("bad", running -> {
                running.up();
                bad.countDown();
                if (bad.getCount() > 0) {
                    throw new IOException("no luck");
                }
                running.waiting("for luck");
                running.awaitStop(ManualPartTime.ENDLESS);
            }));
            assertThat(bad.await(5, TimeUnit.MINUTES)).isTrue();
            Eventually.isTrue(
                    "the condition",
                    () -> state("bad").problem().equals("for luck")
                            && state("good").up());
            assertThat(state("good")).isEqualTo(new PartState(true, 0, ""));
            assertThat(state("bad")).isEqualTo(new PartState(false, 2, "for luck"));
            assertThat(failures).containsExactly("bad: no luck", "bad: no luck");
        }
    }

    @Test
    void waitsLongerAfterEachFailureUntilItWasSteady() throws Exception {
        CountDownLatch runs = new CountDownLatch(9);
        try (parts) {
            parts.start(part("p", running -> {
                runs.countDown();
                if (runs.getCount() == 1) {
                    running.up();
                    time.pass(Parts.STEADY);
                }
                if (runs.getCount() > 0) {
                    throw new IOException("no luck");
                }
                running.awaitStop(ManualPartTime.ENDLESS);
            }));
            assertThat(runs.await(5, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(time.waits().stream().map(Duration::toMillis))
                .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 10000L, 10000L, 500L);
    }

    @Test
    void spreadsWaitsByAtMostAHalf() throws Exception {
        long seed = System.nanoTime();
        Parts spread = new Parts(time, new Random(seed), (part, error, retryIn) -> {});
        CountDownLatch runs = new CountDownLatch(30);
        try (spread) {
            spread.start(part("p", running -> {
                runs.countDown();
                if (runs.getCount() > 0) {
                    throw new IOException("no luck");
                }
                running.awaitStop(ManualPartTime.ENDLESS);
            }));
            assertThat(runs.await(5, TimeUnit.MINUTES)).isTrue();
        }
        List<Duration> late = time.waits().subList(10, 29);
        assertThat(late)
                .as("seed %s", seed)
                .allMatch(wait -> wait.compareTo(Parts.RETRY.max()) <= 0
                        && wait.multipliedBy(2).compareTo(Parts.RETRY.max()) >= 0);
        assertThat(late.stream().distinct().count()).as("seed %s", seed).isGreaterThan(1);
    }

    @Test
    void anErrorIsAFailureToo() throws Exception {
        CountDownLatch runs = new CountDownLatch(2);
        try (parts) {
            parts.start(part("p", running -> {
                runs.countDown();
                if (runs.getCount() > 0) {
                    throw new NoClassDefFoundError("some/Class");
                }
                running.awaitStop(ManualPartTime.ENDLESS);
            }));
            assertThat(runs.await(5, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(failures).containsExactly("p: java.lang.NoClassDefFoundError: some/Class");
    }

    @Test
    void aPartThatEndsUnaskedHasFailed() throws Exception {
        CountDownLatch runs = new CountDownLatch(2);
        try (parts) {
            parts.start(part("p", running -> {
                runs.countDown();
                if (runs.getCount() == 0) {
                    running.awaitStop(ManualPartTime.ENDLESS);
                }
            }));
            assertThat(runs.await(5, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(failures).hasSize(1);
        assertThat(failures.peek()).contains("ended without being told to");
    }

    @Test
    void closingStopsAllAtOnceAndWaitsForEach() {
        CountDownLatch both = new CountDownLatch(2);
        for (String name : List.of("a", "b")) {
            parts.start(part(name, running -> {
                running.up();
                running.awaitStop(ManualPartTime.ENDLESS);
                both.countDown();
                both.await(); // each ends only when the other was told as well
            }));
        }
        Eventually.isTrue("the condition", () -> parts.isUp("a") && parts.isUp("b"));
        parts.close();
        assertThat(both.getCount()).isZero();
        assertThat(parts.isUp("never begun")).isFalse();
    }
}
