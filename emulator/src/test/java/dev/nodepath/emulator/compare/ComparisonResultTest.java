package dev.nodepath.emulator.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Check;
import dev.nodepath.report.ClusterMap;
import dev.nodepath.report.Doubts;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ComparisonResultTest {
    /** Between the two modes the direct path becomes twice as fast, as when a machine gets quieter. */
    private static final ComparisonResult RESULT = new ComparisonResult(
            List.of(
                    seen("direct", "pod, same node"),
                    seen("direct", "node itself"),
                    seen("userspace", "pod, same node"),
                    seen("userspace", "node itself"),
                    seen("userspace, kept", "node itself"),
                    seen("iptables", "pod, same node")),
            new Measurements(List.of(
                    measurement("direct", "pod, same node", 0, 50_000, 10),
                    measurement("userspace", "pod, same node", 0, 20_000, 6),
                    measurement("userspace", "pod, same node", 1, 25_000, 8),
                    measurement("direct", "pod, same node", 1, 50_000, 10),
                    measurement("direct", "node itself", 0, 80_000, 12),
                    measurement("userspace", "node itself", 0, 60_000, 6),
                    measurement("direct", "pod, same node", 2, 100_000, 20),
                    measurement("iptables", "pod, same node", 2, 90_000, 20),
                    measurement("iptables", "pod, same node", 3, 70_000, Double.NaN),
                    measurement("direct", "pod, same node", 3, 100_000, 20))),
            List.of(
                    new Check("userspace", "every backend answers", true, "web-1"),
                    new Check("userspace", "a < b", false, "d")),
            new ClusterMap("172.30.0.0/24", List.of(), List.of()));

    @Test
    void shareIsOfTheDirectPathMeasuredBesideIt() {
        assertThat(ResultTable.figures(RESULT).toText()).isEqualTo("""
                path            mode        req/s   direct  share  p50 us  p99 us  conn/s  direct  share  Gb/s  direct  share
                pod, same node  direct     75,000            1.00     200     900  10,000           1.00  15.0           1.00
                pod, same node  userspace  22,500   50,000   0.45     200     900  10,000  10,000   1.00   7.0    10.0   0.70
                pod, same node  iptables   80,000  100,000   0.80     200     900  10,000  10,000   1.00  20.0    20.0   1.00
                node itself     direct     80,000            1.00     200     900  10,000           1.00  12.0           1.00
                node itself     userspace  60,000   80,000   0.75     200     900  10,000  10,000   1.00   6.0    12.0   0.50
                """);
    }

    /** For example with other work on the machine in one of the rounds. */
    @Test
    void aShareOfRoundsFarApartIsMarkedAndInNoHeadline() {
        ComparisonResult result = new ComparisonResult(
                List.of(seen("direct", "node itself"), seen("iptables", "node itself")),
                new Measurements(List.of(
                        measurement("direct", "node itself", 0, 80_000, 12),
                        measurement("iptables", "node itself", 0, 40_000, 12),
                        measurement("direct", "node itself", 1, 40_000, 12),
                        measurement("iptables", "node itself", 1, 80_000, 12))),
                List.of(),
                new ClusterMap("172.30.0.0/24", List.of(), List.of()));

        assertThat(ResultTable.figures(result).toText()).contains(" 1.25 ?  ", " 1.00\n");
        assertThat(result.verdict())
                .contains("iptables reached an unknown part of the direct path's requests, 100 % of its new");
        assertThat(Doubts.of(result.toSuite()).toString()).contains("marked with ?");
    }

    @Test
    void answersComeBeforeTheFigures() {
        assertThat(ResultTable.answers(RESULT).toText()).isEqualTo("""
                path            mode             answered by         source seen
                pod, same node  direct           web-1 x2, web-2 x1  10.244.1.4 x3
                pod, same node  userspace        web-1 x2, web-2 x1  10.244.1.4 x3
                pod, same node  iptables         web-1 x2, web-2 x1  10.244.1.4 x3
                node itself     direct           web-1 x2, web-2 x1  10.244.1.4 x3
                node itself     userspace        web-1 x2, web-2 x1  10.244.1.4 x3
                node itself     userspace, kept  web-1 x2, web-2 x1  10.244.1.4 x3
                """);
    }

    @Test
    void verdictNamesFailuresAndMeanShares() {
        assertThat(RESULT.verdict())
                .startsWith("1 of 2 expectations were NOT met.")
                .contains("userspace reached 60 % of the direct path's requests")
                .contains("60 % of its bulk rate")
                .contains("iptables reached 80 %");
    }

    @Test
    void suiteHasAFigureForEachMeasureAndPathWithTheDirectPathAsBaseline() {
        SuiteResult suite = RESULT.toSuite();

        assertThat(suite.figures()).hasSize(10);
        Figure requests = suite.figures().get(0);
        assertThat(requests.title()).isEqualTo("Requests over kept-alive connections: pod, same node");
        assertThat(requests.samples("direct").perRound()).containsExactly(50_000.0, 50_000.0, 100_000.0, 100_000.0);
        assertThat(requests.samples("iptables").measured()).containsExactly(70_000.0, 90_000.0);
        assertThat(requests.ratio("userspace").orElseThrow().measured()).containsExactly(0.4, 0.5);
        assertThat(requests.ratio("iptables").orElseThrow().measured()).containsExactly(0.7, 0.9);
        assertThat(suite.checks()).hasSize(2);
        assertThat(suite.passed()).isFalse();
    }

    private static ObservedAnswers seen(String mode, String path) {
        return new ObservedAnswers(
                mode, path, new TreeMap<>(Map.of("web-1", 2, "web-2", 1)), new TreeMap<>(Map.of("10.244.1.4", 3)));
    }

    private static Measurement measurement(String mode, String path, int round, double requests, double gigabits) {
        return new Measurement(mode, path, round, requests, 200, 900, 10_000, gigabits);
    }
}
