package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
        private final CompletableFuture<Optional<String>> hook = new CompletableFuture<>();
        private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        private final Queue<String> events = new ConcurrentLinkedQueue<>();
        private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
        private final CompletableFuture<Thread> prober = new CompletableFuture<>();
        private final CompletableFuture<Boolean> probeResult = new CompletableFuture<>();
        private volatile CompletableFuture<Integer> ended = new CompletableFuture<>();
        private volatile boolean runs = true;
        private final CompletableFuture<Boolean> awaited = new CompletableFuture<>();
        private CompletableFuture<Boolean> needs = CompletableFuture.completedFuture(true);

        @Override
        public void await(ContainerRunner runner) {
            awaited.complete(true);
            assertThat(needs.join()).isTrue();
        }

        @Override
        public Container start(ContainerRunner runner) throws StartException {
            if (!runs) {
                throw StartException.ofProgram("no such program");
            }
            if (ended.isDone()) {
                ended = new CompletableFuture<>();
            }
            return this;
        }

        @Override
        public Optional<String> problem(ContainerRunner runner, ProbeSpec probe) {
            prober.complete(Thread.currentThread());
            if (probe.action() instanceof ProbeSpec.Unknown) {
                return Prober.problem(
                        probe.action(), InetAddress.getLoopbackAddress(), Path.of("/none"), probe.timeout());
            }
            return probeResult.join() ? Optional.empty() : Optional.of("broken on purpose");
        }

        @Override
        public Optional<String> postStart(ContainerRunner runner) {
            return hook.join();
        }

        @Override
        public String lastWords(ContainerRunner runner, int exitCode) {
            return "";
        }

        @Override
        public void changed() {}

        @Override
        public String podName() {
            return "web_default(1)";
        }

        @Override
        public void event(boolean normal, String reason, String message) {
            if (normal) {
                events.add(reason + " " + message);
            } else {
                warnings.add(reason + " " + message);
            }
        }

        @Override
        public CompletableFuture<Integer> ended() {
            return ended;
        }

        @Override
        public void stop(Duration grace) {
            stopped.complete(true);
            ended.complete(137);
        }
    }

    private ContainerRunner runner(Lasting container, String json) throws IOException {
        return runner(container, json, "Never");
    }

    private ContainerRunner runner(Lasting container, String json, String restartPolicy) throws IOException {
        return new ContainerRunner(
                spec(json), restartPolicy, "ContainerCreating", container, timers, background, InstantSource.system());
    }

    private static ContainerSpec spec(String json) throws IOException {
        return ContainerSpec.containers(
                        new ObjectMapper().readTree("{\"spec\": {\"containers\": [" + json.replace('\'', '"') + "]}}"))
                .get(0);
    }

    /** Also if nothing else would start it again. */
    @Test
    void anotherImageRestartsIt() throws Exception {
        Lasting container = new Lasting();
        ContainerRunner runner = runner(container, "{'name': 'c', 'image': 'x'}");
        runner.start();
        runner.redefine(spec("{'name': 'c', 'image': 'y'}"));
        Eventually.isTrue(
                "it runs again",
                () -> runner.runs()
                        && runner.status("").entry().path("restartCount").asInt() == 1);
        assertThat(runner.status("").entry().path("image").asText()).isEqualTo("y");
        assertThat(runner.status("")
                        .entry()
                        .at("/lastState/terminated/exitCode")
                        .asInt())
                .isEqualTo(137);
        assertThat(container.events).contains("Killing Container c definition changed, will be restarted");
        container.ended.complete(0);
        Eventually.isTrue("it has ended", () -> runner.finished().equals(Optional.of(0)));
        runner.redefine(spec("{'name': 'c', 'image': 'z'}"));
        assertThat(runner.status("").entry().path("image").asText()).isEqualTo("y");
    }

    @Test
    void anotherImageEndsABackOff() throws Exception {
        Lasting container = new Lasting();
        container.runs = false;
        ContainerRunner runner = runner(container, "{'name': 'c', 'image': 'x'}", "Always");
        runner.start();
        Eventually.isTrue("it waits", () -> container.warnings.size() == 3);
        container.runs = true;
        runner.redefine(spec("{'name': 'c', 'image': 'y'}"));
        Eventually.isTrue("it runs", runner::runs);
        assertThat(runner.status("").entry().path("restartCount").asInt()).isEqualTo(2);
    }

    @Test
    void whatItWaitsForKeepsNobodyWhoStopsIt() throws Exception {
        Lasting container = new Lasting();
        container.needs = new CompletableFuture<>();
        ContainerRunner runner = runner(container, "{'name': 'c'}");
        background.execute(runner::start);
        assertThat(container.awaited.get(5, TimeUnit.MINUTES)).isTrue();

        assertThat(CompletableFuture.supplyAsync(runner::runs, background).get(5, TimeUnit.MINUTES))
                .isFalse();
        runner.stop(Duration.ZERO);
        container.needs.complete(true);

        assertThat(runner.container()).isEmpty();
    }

    @Test
    void runsWhenItsHookIsDone() throws Exception {
        Lasting container = new Lasting();
        ContainerRunner runner =
                runner(container, "{'name': 'c', 'lifecycle': {'postStart': {'sleep': {'seconds': 1}}}}");
        runner.start();
        assertThat(runner.isStarting()).isTrue();
        assertThat(runner.status("").ready()).isFalse();
        assertThat(runner.status("").entry().at("/state/waiting/reason").asText())
                .isEqualTo("ContainerCreating");

        container.hook.complete(Optional.empty());
        Eventually.isTrue("it runs", () -> runner.status("").ready());
        assertThat(runner.isStarting()).isFalse();
        assertThat(container.stopped).isNotDone();
    }

    @Test
    void endsWhenItsHookFails() throws Exception {
        Lasting container = new Lasting();
        ContainerRunner runner =
                runner(container, "{'name': 'c', 'lifecycle': {'postStart': {'sleep': {'seconds': 1}}}}");
        runner.start();
        container.hook.complete(Optional.of("broken on purpose"));
        container.stopped.get();
        Eventually.isTrue("it has ended", () -> runner.finished().equals(Optional.of(137)));
        assertThat(container.warnings).containsExactly("FailedPostStartHook PostStartHook failed: broken on purpose");
    }

    @Test
    void aHookThatIsDoneAfterTheEndStartsNothing() throws Exception {
        Lasting container = new Lasting();
        ContainerRunner runner =
                runner(container, "{'name': 'c', 'lifecycle': {'postStart': {'sleep': {'seconds': 1}}}}");
        runner.start();
        container.ended.complete(3);
        Eventually.isTrue("it has ended", () -> runner.finished().equals(Optional.of(3)));
        container.hook.complete(Optional.empty());
        background.shutdown();
        assertThat(background.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
        assertThat(runner.runs()).isFalse();
        assertThat(container.stopped).isNotDone();
    }

    @Test
    void whatCannotRunHasEndedWithContainerdsCode() throws Exception {
        Lasting container = new Lasting();
        container.runs = false;
        ContainerRunner runner = runner(container, "{'name': 'c'}");
        runner.start();
        assertThat(runner.finished()).contains(128);
        assertThat(runner.status("").entry().at("/state/terminated/reason").asText())
                .isEqualTo("StartError");
        assertThat(runner.status("").entry().at("/state/terminated/message").asText())
                .isEqualTo("no such program");
        assertThat(container.warnings).containsExactly("Failed Error: no such program");
    }

    @Test
    void whatCannotRunIsStartedAgainWithBackOff() throws Exception {
        Lasting container = new Lasting();
        container.runs = false;
        ContainerRunner runner = runner(container, "{'name': 'c'}", "Always");
        runner.start();
        Eventually.isTrue(
                "the second start has failed too",
                () -> runner.status("")
                        .entry()
                        .at("/state/waiting/reason")
                        .asText()
                        .equals("CrashLoopBackOff"));
        assertThat(runner.status("")
                        .entry()
                        .at("/lastState/terminated/exitCode")
                        .asInt())
                .isEqualTo(128);
        assertThat(runner.finished()).isEmpty();
        Eventually.isTrue("it was said", () -> container.warnings.size() == 3);
        assertThat(container.warnings)
                .containsExactly(
                        "Failed Error: no such program",
                        "Failed Error: no such program",
                        "BackOff Back-off restarting failed container c in pod web_default(1)");
        assertThat(runner.status("").entry().at("/state/waiting/message").asText())
                .isEqualTo("back-off 10s restarting failed container=c pod=web_default(1)");
    }

    @Test
    void aVerdictThatComesAfterTheProbesEndCountsNoMore() throws Exception {
        Lasting container = new Lasting();
        ContainerRunner runner = runner(container, "{'name': 'c', 'readinessProbe': {'tcpSocket': {'port': 1}}}");
        runner.start();
        synchronized (runner) {
            Thread prober = container.prober.get();
            container.probeResult.complete(true);
            Eventually.isTrue("the verdict waits", () -> prober.getState() == Thread.State.BLOCKED);
            runner.stop(Duration.ZERO);
        }
        // The next task on the only thread of the timers comes after the verdict.
        timers.submit(() -> {}).get();
        assertThat(runner.status("").ready()).isFalse();
    }

    /** A port that no container has says nothing of this one: it is not ready, and nothing ends it. */
    @Test
    void aProbeThatCannotBeTriedHasNoResult() throws Exception {
        Lasting container = new Lasting();
        String often = ", 'periodSeconds': 1, 'failureThreshold': 1}";
        ContainerRunner runner = runner(
                container,
                "{'name': 'c', 'readinessProbe': {'httpGet': {'port': 'web'}" + often
                        + ", 'livenessProbe': {'tcpSocket': {'port': 'web'}" + often + "}",
                "Always");
        runner.start();
        Eventually.isTrue("each was tried again", () -> container.warnings.size() >= 6);
        String why = " probe errored and resulted in unknown state: strconv.Atoi: parsing \"web\": invalid syntax";
        assertThat(container.warnings).contains("Unhealthy Readiness" + why, "Unhealthy Liveness" + why);
        assertThat(new HashSet<>(container.warnings)).hasSize(2);
        assertThat(container.stopped).isNotDone();
        assertThat(runner.runs()).isTrue();
        assertThat(runner.status("").ready()).isFalse();
    }
}
