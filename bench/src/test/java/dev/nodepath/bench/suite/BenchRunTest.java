package dev.nodepath.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.report.Figure;
import dev.nodepath.report.MachineProbe;
import dev.nodepath.report.Report;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.form.ReportFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchRunTest {
    private static final SuiteSettings SETTINGS =
            new SuiteSettings(3, false, new Peers(Set.of()), Optional.empty(), line -> {}, result -> {});

    @TempDir
    Path directory;

    private interface Body {
        SuiteResult run(SuiteSettings settings) throws Exception;
    }

    @Test
    void keepsEachRoundWhileASuiteRuns() throws Exception {
        List<Report> seen = new ArrayList<>();
        Report report = run(suite("slow", settings -> {
            settings.keep(result("slow", 1));
            seen.add(folder().read());
            settings.keep(result("slow", 1, 2));
            seen.add(folder().read());
            return result("slow", 1, 2, 3);
        }));

        assertThat(seen).extracting(Report::partial).containsExactly(true, true);
        assertThat(seen).extracting(each -> rounds(each, 0)).containsExactly(1, 2);
        assertThat(seen.get(0).suites().get(0).partial()).isTrue();
        assertThat(report.partial()).isFalse();
        assertThat(report.passed()).isTrue();
        assertThat(rounds(folder().read(), 0)).isEqualTo(3);
    }

    @Test
    void keepsWhatAFailedSuiteMeasuredAndGoesOnWithTheOthers() throws Exception {
        Report report = run(
                suite("bad", settings -> {
                    settings.keep(result("bad", 1));
                    throw new IOException("port 80: taken");
                }),
                suite("good", settings -> result("good", 1, 2, 3)));

        assertThat(report.passed()).isFalse();
        assertThat(report.partial()).isFalse();
        assertThat(report.suites()).extracting(SuiteResult::partial).containsExactly(true, false);
        assertThat(report.suites().get(0).verdict()).startsWith("FAILED: port 80: taken.");
        assertThat(rounds(report, 0)).isEqualTo(1);
        assertThat(Files.readString(directory.resolve("report.html"))).contains("port 80: taken");
    }

    @Test
    void saysThatASuiteFailedBeforeItsFirstRound() throws Exception {
        Report report = run(suite("bad", settings -> {
            throw new IllegalStateException("no wrk");
        }));

        assertThat(report.suites().get(0).verdict()).isEqualTo("FAILED: no wrk.");
        assertThat(report.suites().get(0).howToRun()).isEqualTo("scripts/nodepath bench bad");
    }

    @Test
    void endsWhenTheReportCannotBeWritten() {
        Suite suite = suite("slow", settings -> {
            Files.createDirectory(directory.resolve("report.md"));
            Files.createFile(directory.resolve("report.md/in-the-way"));
            settings.keep(result("slow", 1));
            return result("slow", 1);
        });

        assertThatThrownBy(() -> run(suite)).isInstanceOf(IOException.class).hasMessageContaining("report.md");
    }

    private ReportFolder folder() {
        return new ReportFolder(directory);
    }

    private Report run(Suite... suites) throws IOException, InterruptedException {
        PrintWriter out = new PrintWriter(new StringWriter());
        return new BenchRun(folder(), out, InstantSource.system(), new MachineProbe(), "again")
                .run(List.of(suites), SETTINGS, Map.of());
    }

    private static int rounds(Report report, int suite) {
        return report.suites()
                .get(suite)
                .figures()
                .get(0)
                .samples("ours")
                .perRound()
                .size();
    }

    private static SuiteResult result(String name, double... values) {
        Figure figure = new Figure("", "ADD", "ms", true, "", Map.of("ours", Samples.of(values)), Optional.empty());
        return new SuiteResult(
                name, "Fine.", List.of(figure), List.of(), List.of(), List.of(), Map.of(), "again", false);
    }

    private static Suite suite(String name, Body body) {
        return new Suite() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public SuiteResult run(SuiteSettings settings) throws Exception {
                return body.run(settings);
            }
        };
    }
}
