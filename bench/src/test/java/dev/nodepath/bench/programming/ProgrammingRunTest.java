package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.programming.ProgrammingSizes.Cluster;
import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leaves the tables of the namespace that the tests run in as empty as they were. */
@Tag("netns")
@Tag("timing")
@Timeout(900)
class ProgrammingRunTest {
    @Test
    void measuresNftablesModeAndBothVariantsOfIptablesBesideTheirFloors() throws Exception {
        SuiteSettings settings = TestPrograms.oneRound("none");
        SuiteResult result = run(
                settings,
                new NftablesProgramming(settings, sizes(20).nftables()),
                new IptablesProgramming(settings, sizes(20)));
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
        assertThat(result.figures())
                .extracting(Figure::title)
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                titles("nftables mode, 20 Services x 10", withNftables),
                                titles("iptables, nf_tables, 20 Services x 10", withIptables),
                                titles("iptables, legacy, 20 Services x 10", withIptables))
                        .flatMap(List::stream)
                        .toList());
        assertThat(result.figures()).allSatisfy(figure -> {
            assertThat(figure.byContender()).containsKey("nodepath");
            assertThat(figure.byContender().values())
                    .allMatch(
                            samples -> figure.unit().equals("changes") ? samples.median() == 0 : samples.median() > 0);
        });
        assertThat(result.figures().stream().filter(figure -> figure.target().isPresent()))
                .hasSize(7);
    }

    @Test
    void leavesOutWhatTakesNftablesMinutesAndMeasuresTheRestInEachRound() throws Exception {
        SuiteSettings twoRounds =
                new SuiteSettings(2, true, Peers.parse("none"), Optional.empty(), line -> {}, result -> {});

        SuiteResult result = run(twoRounds, new IptablesProgramming(twoRounds, sizes(19)));

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

    private static SuiteResult run(SuiteSettings settings, SuitePart... parts) throws Exception {
        return new SuiteRun("programming", settings, List.of(parts)).run();
    }

    private static ProgrammingSizes sizes(int nftWholeMax) {
        return new ProgrammingSizes(List.of(20), nftWholeMax, List.of(new Cluster(20, 10)));
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
