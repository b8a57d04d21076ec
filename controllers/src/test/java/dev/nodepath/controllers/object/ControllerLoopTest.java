package dev.nodepath.controllers.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.controllers.SteppedClock;
import dev.nodepath.controllers.TestObjects;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerLoopTest {
    private final SteppedClock clock = new SteppedClock();
    private final ClusterApi api = new ClusterApi(new ObjectStore(0, 10), ObjectRules.NONE, clock);
    private final Recorder recorder = new Recorder();

    /** Notes its keys; fails as often as it is told. */
    private static class Recorder implements Controller {
        final List<String> keys = new ArrayList<>();
        final Deque<RuntimeException> failures = new ArrayDeque<>();
        final List<Duration> delays = new ArrayList<>();

        @Override
        public String name() {
            return "recorder";
        }

        @Override
        public List<Trigger> triggers() {
            return List.of(Trigger.each(Resources.NODES));
        }

        @Override
        public void reconcile(ObjectKey key, KeyQueue queue) {
            keys.add(key.name());
            if (!failures.isEmpty()) {
                throw failures.pop();
            }
            delays.forEach(delay -> queue.addAfter(key, delay));
            delays.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class, AssertionError.class})
    void worksOnAfterAnError(Class<? extends Error> kind) throws Exception {
        ClusterApi now = new ClusterApi(new ObjectStore(0, 10), ObjectRules.NONE, InstantSource.system());
        Queue<Error> errors =
                new ConcurrentLinkedQueue<>(List.of(kind.getConstructor().newInstance()));
        BlockingQueue<String> done = new LinkedBlockingQueue<>();
        Controller controller = new Recorder() {
            @Override
            public void reconcile(ObjectKey key, KeyQueue queue) {
                @Nullable Error error = errors.poll();
                if (error != null) {
                    throw error;
                }
                done.add(key.name());
            }
        };
        try (ControllerLoop loop = new ControllerLoop(now, InstantSource.system(), List.of(controller))) {
            assertThat(loop.troubles()).isEmpty();
            loop.start();
            now.create(Resources.NODES, TestObjects.object(Resources.NODES, "", "n1"));
            assertThat(done.poll(5, TimeUnit.MINUTES)).isEqualTo("n1");
            now.create(Resources.NODES, TestObjects.object(Resources.NODES, "", "n2"));
            assertThat(done.poll(5, TimeUnit.MINUTES)).isEqualTo("n2");
            assertThat(loop.troubles())
                    .containsExactly("controllers: started again 1 time, last after " + kind.getName());
        }
    }

    @Test
    void aKeyThatFailsAgainAndAgainIsATroubleUntilItSucceeds() {
        addNode("n1");
        for (int i = 0; i < 3; i++) {
            recorder.failures.add(new IllegalStateException("a test"));
        }
        try (ControllerLoop loop = loop()) {
            for (int i = 0; i < 3; i++) {
                assertThat(loop.troubles()).isEmpty();
                loop.runUntilIdle();
                clock.advance(Duration.ofMinutes(1));
            }
            assertThat(loop.troubles()).containsExactly("controller recorder: n1 fails again and again: a test");
            loop.runUntilIdle();
            assertThat(loop.troubles()).isEmpty();
        }
    }

    @Test
    void whatIsThereCountsAsChangedAndManyChangesAsOne() {
        addNode("n1");
        try (ControllerLoop loop = loop()) {
            addNode("n2");
            for (int i = 0; i < 5; i++) {
                change("n1", i);
            }
            loop.runUntilIdle();
            assertThat(recorder.keys).containsExactly("n1", "n2");
            change("n2", 0);
            loop.runUntilIdle();
            assertThat(recorder.keys).containsExactly("n1", "n2", "n2");
        }
    }

    @Test
    void aChangeThatChangesNothingAsksForNothing() {
        addNode("n1");
        try (ControllerLoop loop = loop()) {
            loop.runUntilIdle();
            api.modify(Resources.NODES, new ObjectKey("", "n1"), "", node -> node);
            loop.runUntilIdle();
            assertThat(recorder.keys).containsExactly("n1");
        }
    }

    @Test
    void aKeyComesAfterTheShortestOfItsDelays() {
        addNode("n1");
        recorder.delays.addAll(List.of(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(9)));
        try (ControllerLoop loop = loop()) {
            loop.runUntilIdle();
            clock.advance(Duration.ofMillis(1999));
            loop.runUntilIdle();
            assertThat(recorder.keys).hasSize(1);
            clock.advance(Duration.ofMillis(1));
            loop.runUntilIdle();
            assertThat(recorder.keys).hasSize(2);
            clock.advance(Duration.ofSeconds(60));
            loop.runUntilIdle();
            assertThat(recorder.keys).hasSize(2);
        }
    }

    @Test
    void triesAgainMoreAndMoreSlowlyUntilItSucceeds() {
        addNode("n1");
        for (int i = 0; i < 14; i++) {
            recorder.failures.add(StatusException.conflict(Resources.NODES, "n1", "it has changed"));
        }
        try (ControllerLoop loop = loop()) {
            List<Long> waited = new ArrayList<>();
            loop.runUntilIdle();
            while (!recorder.failures.isEmpty()) {
                waited.add(millisUntilNext(loop));
            }
            assertThat(waited).startsWith(5L, 10L, 20L, 40L, 80L).endsWith(5120L, 10_000L, 10_000L);
            millisUntilNext(loop);
            recorder.failures.add(new IllegalStateException("new trouble"));
            change("n1", 1);
            loop.runUntilIdle();
            assertThat(millisUntilNext(loop)).isEqualTo(5);
        }
    }

    @Test
    void aKeyThatEndsInAnErrorIsTriedMoreAndMoreSlowly() {
        addNode("n1");
        Controller broken = new Recorder() {
            @Override
            public void reconcile(ObjectKey key, KeyQueue queue) {
                throw new StackOverflowError("a test");
            }
        };
        try (ControllerLoop loop = new ControllerLoop(api, clock, List.of(broken))) {
            for (long millis : List.of(5L, 10L, 20L, 40L)) {
                assertThatThrownBy(loop::runUntilIdle).isInstanceOf(StackOverflowError.class);
                clock.advance(Duration.ofMillis(millis - 1));
                loop.runUntilIdle();
                clock.advance(Duration.ofMillis(1));
            }
        }
    }

    @Test
    void oneThatFailsHoldsUpNoOther() {
        recorder.failures.add(new IllegalStateException("trouble"));
        addNode("n1");
        addNode("n2");
        try (ControllerLoop loop = loop()) {
            loop.runUntilIdle();
            assertThat(recorder.keys).containsExactly("n1", "n2");
        }
    }

    @Test
    void itsThreadWakesUpForChangesAndEndsWithIt() throws InterruptedException {
        CountDownLatch seen = new CountDownLatch(2);
        Controller counting = new Recorder() {
            @Override
            public void reconcile(ObjectKey key, KeyQueue queue) {
                if (seen.getCount() == 2) {
                    queue.addAfter(key, Duration.ofMillis(20));
                }
                seen.countDown();
            }
        };
        ControllerLoop loop = new ControllerLoop(api, InstantSource.system(), List.of(counting));
        try (loop) {
            loop.start();
            addNode("n1");
            assertThat(seen.await(5, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(Thread::isAlive)
                        .map(Thread::getName))
                .doesNotContain("controllers");
    }

    private ControllerLoop loop() {
        return new ControllerLoop(api, clock, List.of(recorder));
    }

    private long millisUntilNext(ControllerLoop loop) {
        int before = recorder.keys.size();
        long millis = 0;
        while (recorder.keys.size() == before && millis < 60_000) {
            clock.advance(Duration.ofMillis(1));
            millis++;
            loop.runUntilIdle();
        }
        return millis;
    }

    private void addNode(String name) {
        api.create(Resources.NODES, TestObjects.object(Resources.NODES, "", name));
    }

    private void change(String name, int value) {
        api.modify(Resources.NODES, new ObjectKey("", name), "", (ObjectNode node) -> {
            node.putObject("spec").put("value", value);
            return node;
        });
    }
}
