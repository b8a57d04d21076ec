package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.report.Report;
import dev.nodepath.report.form.ReportFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A user interrupts the bench. */
@Tag("netns")
@Tag("timing")
class InterruptedBenchTest {
    private static final long SECONDS_MAX = 600;

    @TempDir
    Path directory;

    static Stream<Arguments> signals() {
        return Stream.of(Arguments.of("INT", 130), Arguments.of("TERM", 143)).limit(Repetitions.of(1, 2));
    }

    @ParameterizedTest
    @MethodSource("signals")
    void showsWhatWasMeasuredAndWhereItIs(String signal, int exitCode) throws Exception {
        Path output = directory.resolve("output");
        Path report = directory.resolve("report");
        Process bench = start(output, report);
        try {
            await(bench, output, report.resolve("report.json"));
            signal(signal, bench.pid());
            assertThat(bench.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            bench.destroyForcibly();
        }

        assertThat(bench.exitValue()).isEqualTo(exitCode);
        Report kept = new ReportFolder(report).read();
        assertThat(kept.partial()).isTrue();
        assertThat(Files.readString(output))
                .contains(
                        "! This run did not come to its end",
                        "cni: Not finished. A served ADD takes",
                        "a JVM that prints its version")
                .endsWith("bench: interrupted; what was measured until then is in " + report + "\n");
    }

    /** A shell's background jobs ignore interrupts, and so would all that a test run among them starts. */
    private static Process start(Path output, Path report) throws IOException {
        String script = Path.of(System.getProperty("nodepath.home"), "scripts", "nodepath")
                .toString();
        return new ProcessBuilder(
                        List.of("env", "--default-signal=INT", script, "bench", "cni", "--quick", "--report=" + report))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static void await(Process bench, Path output, Path file) {
        Eventually.isTrue(Duration.ofSeconds(SECONDS_MAX), () -> Files.readString(output), () -> {
            assertThat(bench.isAlive()).as(Files.readString(output)).isTrue();
            return Files.exists(file);
        });
    }

    private static void signal(String signal, long pid) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }
}
