package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After a kill of any process at any time no process, namespace, link, rule or file is left, and the host is
 * unchanged.
 */
@Tag("faults")
@Tag("timing")
class LeavesNothingTest {
    private static final Duration GONE_MAX = Duration.ofMinutes(5);
    private static final Duration STARTED_MAX = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    private String before = "";
    private List<String> filesBefore = List.of();

    @BeforeEach
    void rememberHost() throws IOException, InterruptedException {
        before = NodepathScript.hostState();
        filesBefore = strayFiles();
    }

    @ParameterizedTest
    @ValueSource(strings = {"front", "enclosure", "cluster"})
    void whenAnyOfItsProcessesIsKilledAtARandomMoment(String victim) throws IOException, InterruptedException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        long delayMillis = 500 + new SplittableRandom(seed).nextLong(Repetitions.of(5_000, 20_000));
        Process front = new NodepathScript(folder).start(folder.resolve("output"), "compare", "--seconds=0.1");
        awaitProcess("enclosed-compare");
        // A moment of the run, picked at random: not a wait for anything.
        front.waitFor(delayMillis, TimeUnit.MILLISECONDS);

        kill(front, victim);

        awaitNothingLeft(front);
    }

    static List<String> interrupts() {
        return Repetitions.areWhole() ? List.of("INT", "TERM") : List.of("TERM");
    }

    @ParameterizedTest
    @MethodSource("interrupts")
    void whenItIsInterrupted(String signal) throws IOException, InterruptedException {
        Process front = new NodepathScript(folder).start(folder.resolve("output"), "compare", "--seconds=0.1");
        awaitProcess("enclosed-compare");

        signal(signal, front.pid());

        awaitNothingLeft(front);
        assertThat(front.exitValue()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "INT"})
    void whenTheStartOfAClusterIsBrokenOff(String signal) throws IOException, InterruptedException {
        Process up = new NodepathScript(folder).start(folder.resolve("output"), "up");
        awaitProcess("enclosed-cluster");

        signal(signal, up.pid());

        awaitNothingLeft(up);
    }

    @Test
    void whenAClusterThatStaysIsKilledAndAnotherIsStarted() throws IOException, InterruptedException {
        NodepathScript nodepath = new NodepathScript(folder);
        assertThat(nodepath.run("up").exitCode()).isZero();
        ProcessHandle cluster = clusterProcess("enclosed-cluster").orElseThrow();
        signal("KILL", cluster.pid());
        awaitGone();

        NodepathScript.Result status = nodepath.run("status");
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.output())
                .contains(
                        "no cluster \"default\" is running in ",
                        "(expected: run '" + nodepath.program() + " up' first); the last cluster was killed");
        NodepathScript.Result again = nodepath.run("up");
        assertThat(again.exitCode()).as(again.output()).isZero();
        assertThat(nodepath.run("down").exitCode()).isZero();

        awaitGone();
        assertHostAsItWas();
    }

    private static void kill(Process front, String victim) throws IOException, InterruptedException {
        Optional<ProcessHandle> process = switch (victim) {
            case "front" -> Optional.of(front.toHandle());
            case "enclosure" -> front.toHandle().children().findFirst();
            default -> clusterProcess("enclosed-compare");
        };
        // It may have ended by itself already; then there is nothing to kill, and the same must hold.
        if (process.isPresent()) {
            signal("KILL", process.get().pid());
        }
    }

    private void awaitNothingLeft(Process front) throws IOException, InterruptedException {
        assertThat(front.waitFor(GONE_MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
        awaitGone();
        assertHostAsItWas();
    }

    private void assertHostAsItWas() throws IOException, InterruptedException {
        assertThat(NodepathScript.hostState()).isEqualTo(before);
        // Tests beside this one have files there for a moment, too.
        await(() -> filesBefore.containsAll(strayFiles()), GONE_MAX);
    }

    /** All files in the places where programs leave some: temporary files, and the runtime folders. */
    private static List<String> strayFiles() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> temporary = Files.list(Path.of("/tmp"));
                Stream<Path> runtime = Files.walk(Path.of("/run"))) {
            temporary
                    .map(Path::toString)
                    .filter(name -> name.toLowerCase(Locale.ROOT).matches(".*(nodepath|jffi|netty|hsperf).*"))
                    .forEach(found::add);
            // mount(8) makes a folder of its own at its first use. The folder of a cluster's files stays with its
            // lock: a deleted lock would exclude no other process.
            runtime.map(Path::toString)
                    .filter(name -> !name.matches("/run/mount|/run/nodepath/clusters(/default(/lock)?)?"))
                    .forEach(found::add);
        }
        return found.stream().sorted().toList();
    }

    private static void awaitProcess(String command) throws IOException, InterruptedException {
        await(() -> clusterProcess(command).isPresent(), STARTED_MAX);
    }

    private static void awaitGone() throws IOException, InterruptedException {
        await(() -> NodepathScript.clusterProcesses().isEmpty(), GONE_MAX);
    }

    private static void await(Callable<Boolean> condition, Duration limit) {
        Eventually.isTrue(limit, () -> NodepathScript.clusterProcesses() + " " + strayFiles(), condition);
    }

    /** The Java process inside the enclosure, as it is seen from here. */
    private static Optional<ProcessHandle> clusterProcess(String command) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().command().orElse("").endsWith("/java"))
                .filter(process -> NodepathScript.isOurs(String.valueOf(process.pid())))
                .filter(process -> NodepathScript.commandLine(String.valueOf(process.pid()))
                        .contains(command))
                .findFirst();
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
                        .start()
                        .waitFor())
                .isZero();
    }
}
