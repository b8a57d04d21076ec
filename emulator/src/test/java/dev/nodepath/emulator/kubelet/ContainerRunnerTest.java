package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class ContainerRunnerTest {
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService background = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        timers.shutdownNow();
        background.shutdownNow();
    }

    /** Runs until its test ends, and passes its probe when the test lets it. */
    private static final class Lasting implements ContainerRunner.Surroundings, Container {
        private final CompletableFuture<Thread> prober = new CompletableFuture<>();
        private final CompletableFuture<Boolean> probeResult = new CompletableFuture<>();
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();

        @Override
        public Container start(ContainerRunner runner) {
            return this;
        }

        @Override
        public Optional<String> problem(ContainerRunner runner, ProbeSpec probe) {
            prober.complete(Thread.currentThread());
            return probeResult.join() ? Optional.empty() : Optional.of("broken on purpose");
        }

        @Override
        public String lastWords(ContainerRunner runner, int exitCode) {
            return "";
        }

        @Override
        public void changed() {}

        @Override
        public void event(boolean normal, String reason, String message) {}

        @Override
        public CompletableFuture<Integer> ended() {
            return ended;
        }

        @Override
        public void stop(Duration grace) {}
    }

    @Test
    void aVerdictThatComesAfterTheProbesEndCountsNoMore() throws Exception {
        Lasting container = new Lasting();
        ContainerRunner runner = new ContainerRunner(
                ContainerSpec.containers(new ObjectMapper().readTree("""
                        {"spec": {"containers": [{"name": "c", "readinessProbe": {"tcpSocket": {"port": 1}}}]}}""")).get(0),
                "Always",
                "ContainerCreating",
                container,
                timers,
                background,
                Clock.systemUTC());
        runner.start();
        synchronized (runner) {
            Thread prober = container.prober.get();
            container.probeResult.complete(true);
            Eventually.isTrue("the verdict waits", () -> prober.getState() == Thread.State.BLOCKED);
            runner.stop(Duration.ZERO);
        }
        // What the only thread of the timers does next comes after the verdict.
        timers.submit(() -> {}).get();
        assertThat(runner.status("").ready()).isFalse();
    }
}
