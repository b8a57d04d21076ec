package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Leaves the tables of the namespace that the tests run in as empty as they were. */
@Tag("netns")
@Tag("timing")
@Timeout(180)
class ProgrammingRunTest {
    @TempDir
    private Path folder;

    @Test
    void measuresBothVariantsBesideTheirFloors() throws Exception {
        SuiteResult result =
                new ProgrammingRun(TestPrograms.programs(), TestPrograms.oneRound("none"), List.of(20), 10, 20).run();
        assertThat(result.notes()).noneMatch(note -> note.contains("Left out"));
        List<String> things = List.of(
                "first sync into empty tables",
                "restart, nothing changed",
                "one endpoint changed",
                "100 Services changed at once",
                "a Service added",
                "a Service removed");
        assertThat(result.figures())
                .extracting(Figure::title)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.of("nf_tables", "legacy")
                                        .flatMap(variant ->
                                                things.stream().map(thing -> variant + ", 20 Services x 10: " + thing)),
                                Stream.of(
                                        "A process, 10 Services x 10: from its start to rules in force",
                                        "A process, 10 Services x 10: started again, to a Service in force that was added meanwhile",
                                        "A process, 10 Services x 10: an endpoint changed, to its first answer",
                                        "A process, 10 Services x 10: resident memory"))
                        .toList());
        assertThat(result.figures()).allSatisfy(figure -> {
            assertThat(figure.byContender()).containsKey("nodepath");
            assertThat(figure.byContender().values()).allMatch(samples -> samples.median() > 0);
        });
        assertThat(result.figures().stream().filter(figure -> figure.target().isPresent()))
                .hasSize(7);
        // A client that meets silence asks again after a second only.
        assertThat(result.figures().stream()
                        .filter(figure -> figure.what().equals("an endpoint changed, to its first answer")))
                .singleElement()
                .satisfies(
                        figure -> assertThat(figure.samples("nodepath").min()).isLessThan(900));
    }

    @Test
    void leavesOutWhatTakesNftablesMinutesAndMeasuresTheRestInEachRound() throws Exception {
        SuiteSettings twoRounds =
                new SuiteSettings(2, true, Peers.parse("none"), Optional.empty(), line -> {}, result -> {});

        SuiteResult result = new ProgrammingRun(TestPrograms.programs(), twoRounds, List.of(20), 10, 19).run();

        assertThat(result.notes())
                .filteredOn(note -> note.startsWith("Left out: nf_tables, 20 Services: "))
                .hasSize(2);
        assertThat(rounds(result, "nf_tables", "first sync into empty tables", "bare command"))
                .isZero();
        assertThat(rounds(result, "nf_tables", "first sync into empty tables", "nodepath"))
                .isEqualTo(2);
        assertThat(result.verdict()).doesNotContain("NaN", "not measured");
        assertThat(rounds(result, "nf_tables", "restart, nothing changed", "nodepath"))
                .isEqualTo(1);
        assertThat(rounds(result, "nf_tables", "one endpoint changed", "nodepath"))
                .isEqualTo(2);
        assertThat(rounds(result, "legacy", "first sync into empty tables", "bare command"))
                .isEqualTo(2);
        assertThat(rounds(result, "legacy", "restart, nothing changed", "nodepath"))
                .isEqualTo(2);
    }

    @Test
    void measuresTheProcessOfKubeProxyBesideOurs() throws Exception {
        Path kubeProxy = TestPrograms.kubeProxyStandIn(folder);
        SuiteResult result = run(kubeProxy);

        assertThat(result.notes()).noneMatch(note -> note.contains("failed"));
        assertThat(result.figures().stream().filter(figure -> figure.group().startsWith("A process")))
                .hasSize(4)
                .allSatisfy(figure -> {
                    assertThat(figure.byContender()).containsOnlyKeys("nodepath", "kube-proxy");
                    assertThat(figure.byContender().values()).allMatch(samples -> samples.median() > 0);
                });
    }

    @Test
    void saysThatKubeProxyFailedAndMeasuresOurs() throws Exception {
        SuiteResult result = run(TestPrograms.kubeProxy(folder, "echo 'flag provided but not defined' >&2; exit 1"));

        assertThat(result.notes())
                .contains("A process, 10 Services x 10, kube-proxy: failed: kube-proxy: ended:"
                        + " flag provided but not defined");
        assertThat(result.figures().stream().filter(figure -> figure.group().startsWith("A process")))
                .hasSize(4)
                .allSatisfy(figure -> assertThat(figure.byContender()).containsOnlyKeys("nodepath"));
    }

    private static SuiteResult run(Path kubeProxy) throws Exception {
        SuiteSettings settings =
                new SuiteSettings(1, true, Peers.parse("none"), Optional.of(kubeProxy), line -> {}, result -> {});
        Programs programs = new Programs(TestPrograms.nodepath(), Optional.of(kubeProxy));
        return new ProgrammingRun(programs, settings, List.of(4), 10, 20).run();
    }

    private static int rounds(SuiteResult result, String variant, String what, String contender) {
        return result.figures().stream()
                .filter(figure -> figure.title().equals(variant + ", 20 Services x 10: " + what))
                .findFirst()
                .orElseThrow()
                .samples(contender)
                .measured()
                .size();
    }
}
