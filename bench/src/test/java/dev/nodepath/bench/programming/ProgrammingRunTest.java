package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.programming.ProgrammingSizes.Cluster;
import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.KubeProxyBinary;
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
@Timeout(900)
class ProgrammingRunTest {
    @TempDir
    private Path folder;

    @Test
    void measuresNftablesModeAndBothVariantsOfIptablesBesideTheirFloors() throws Exception {
        SuiteResult result =
                new ProgrammingRun(TestPrograms.programs(), TestPrograms.oneRound("none"), sizes(20)).run();
        assertThat(result.notes()).noneMatch(note -> note.contains("Left out"));
        assertThat(result.verdict()).doesNotContain("NaN", "not measured");
        List<String> withIptables = List.of(
                "first sync into empty tables",
                "restart, nothing changed",
                "one endpoint changed",
                "100 Services changed at once",
                "a Service added",
                "a Service removed");
        List<String> withNftables = List.of(
                "first sync into an empty table",
                "restart, nothing changed",
                "one endpoint changed",
                "a Service added",
                "a Service removed",
                "changes sent at a restart");
        List<String> ofProcess = List.of(
                "from its start to rules in force",
                "started again, to a Service in force that was added meanwhile",
                "an endpoint changed, to its first answer",
                "resident memory");
        assertThat(result.figures())
                .extracting(Figure::title)
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                titles("nftables mode, 20 Services x 10", withNftables),
                                titles("iptables, nf_tables, 20 Services x 10", withIptables),
                                titles("iptables, legacy, 20 Services x 10", withIptables),
                                titles("A process in iptables mode, 10 Services x 10", ofProcess),
                                titles("A process in nftables mode, 10 Services x 10", ofProcess))
                        .flatMap(List::stream)
                        .toList());
        assertThat(result.figures()).allSatisfy(figure -> {
            assertThat(figure.byContender()).containsKey("nodepath");
            assertThat(figure.byContender().values())
                    .allMatch(
                            samples -> figure.unit().equals("changes") ? samples.median() == 0 : samples.median() > 0);
        });
        assertThat(result.figures().stream().filter(figure -> figure.target().isPresent()))
                .hasSize(9);
    }

    @Test
    void leavesOutWhatTakesNftablesMinutesAndMeasuresTheRestInEachRound() throws Exception {
        SuiteSettings twoRounds =
                new SuiteSettings(2, true, Peers.parse("none"), Optional.empty(), line -> {}, result -> {});

        SuiteResult result =
                new ProgrammingRun(twoRounds, List.of(new IptablesProgramming(twoRounds, sizes(19)))).run();

        assertThat(result.notes())
                .filteredOn(note -> note.startsWith("Left out: iptables, nf_tables, 20 Services: "))
                .hasSize(2);
        assertThat(rounds(result, "iptables, nf_tables", "first sync into empty tables", "bare command"))
                .isZero();
        assertThat(rounds(result, "iptables, nf_tables", "first sync into empty tables", "nodepath"))
                .isEqualTo(2);
        assertThat(result.verdict()).doesNotContain("NaN", "not measured");
        assertThat(rounds(result, "iptables, nf_tables", "restart, nothing changed", "nodepath"))
                .isEqualTo(1);
        assertThat(rounds(result, "iptables, nf_tables", "one endpoint changed", "nodepath"))
                .isEqualTo(2);
        assertThat(rounds(result, "iptables, legacy", "first sync into empty tables", "bare command"))
                .isEqualTo(2);
        assertThat(rounds(result, "iptables, legacy", "restart, nothing changed", "nodepath"))
                .isEqualTo(2);
    }

    @Test
    void measuresTheProcessOfKubeProxyBesideOurs() throws Exception {
        Path kubeProxy = TestPrograms.kubeProxyStandIn(folder);
        SuiteResult result = run(kubeProxy);

        assertThat(result.notes()).noneMatch(note -> note.contains("failed") || note.contains("Left out"));
        assertThat(result.figures().stream().filter(figure -> figure.group().startsWith("A process")))
                .hasSize(8)
                .allSatisfy(figure -> {
                    assertThat(figure.byContender()).containsOnlyKeys("nodepath", "kube-proxy");
                    assertThat(figure.byContender().values()).allMatch(samples -> samples.median() > 0);
                });
    }

    @Test
    void saysThatKubeProxyFailedAndMeasuresOurs() throws Exception {
        SuiteResult result = run(TestPrograms.kubeProxy(folder, "echo 'flag provided but not defined' >&2; exit 1"));

        assertThat(result.notes())
                .contains(
                        "A process, 10 Services, kube-proxy: failed: kube-proxy: ended: flag provided but not defined")
                .anyMatch(note -> note.startsWith("Left out: kube-proxy-nftables: "));
        assertThat(result.figures().stream().filter(figure -> figure.group().startsWith("A process")))
                .hasSize(8)
                .allSatisfy(figure -> assertThat(figure.byContender()).containsOnlyKeys("nodepath"));
    }

    private static SuiteResult run(Path kubeProxy) throws Exception {
        SuiteSettings settings =
                new SuiteSettings(1, true, Peers.parse("none"), Optional.of(kubeProxy), line -> {}, result -> {});
        Programs programs = new Programs(TestPrograms.nodepath(), Optional.of(new KubeProxyBinary(kubeProxy)));
        return new ProgrammingRun(settings, List.of(new ProxyProcesses(programs, settings, 10))).run();
    }

    private static ProgrammingSizes sizes(int nftWholeMax) {
        return new ProgrammingSizes(List.of(20), nftWholeMax, List.of(new Cluster(20, 10)), 10);
    }

    private static List<String> titles(String group, List<String> things) {
        return things.stream().map(thing -> group + ": " + thing).toList();
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
