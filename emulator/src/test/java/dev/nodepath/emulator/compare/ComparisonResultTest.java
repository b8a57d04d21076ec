package dev.nodepath.emulator.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Check;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ComparisonResultTest {
    private static final ComparisonResult RESULT = new ComparisonResult(
            new Measurements(List.of(
                    measurement("direct", "pod, same node", 100_000, 15),
                    measurement("userspace", "pod, same node", 50_000, 9),
                    measurement("direct", "node itself", 80_000, 12),
                    measurement("userspace", "node itself", 60_000, 6))),
            List.of(
                    new Check("userspace", "every backend answers", true, "web-1"),
                    new Check("userspace", "a < b", false, "d")));

    @Test
    void tableShowsModesSideBySideWithTheirShareOfTheDirectPath() {
        assertThat(ResultTable.of(RESULT.measurements()).toText()).isEqualTo("""
                path            mode       answered by         source seen      req/s  share  p50 us  p99 us  new conn/s  share  Gb/s  share
                pod, same node  direct     web-1 x2, web-2 x1  10.244.1.4 x3  100,000   1.00     200     900      10,000   1.00  15.0   1.00
                pod, same node  userspace  web-1 x2, web-2 x1  10.244.1.4 x3   50,000   0.50     200     900      10,000   1.00   9.0   0.60
                node itself     direct     web-1 x2, web-2 x1  10.244.1.4 x3   80,000   1.00     200     900      10,000   1.00  12.0   1.00
                node itself     userspace  web-1 x2, web-2 x1  10.244.1.4 x3   60,000   0.75     200     900      10,000   1.00   6.0   0.50
                """);
    }

    @Test
    void verdictNamesFailuresAndMeanShares() {
        assertThat(RESULT.verdict())
                .startsWith("1 of 2 expectations were NOT met.")
                .contains("userspace reached 63 % of the direct path's requests")
                .contains("55 % of its bulk rate");
    }

    @Test
    void suiteHasAFigureForEachMeasureAndPathWithTheDirectPathAsBaseline() {
        SuiteResult suite = RESULT.toSuite();

        assertThat(suite.figures()).hasSize(10);
        Figure bulk = suite.figures().stream()
                .filter(figure -> figure.title().equals("Bulk, one stream: node itself"))
                .findFirst()
                .orElseThrow();
        assertThat(bulk.samples("userspace").median()).isEqualTo(6);
        assertThat(bulk.ratio("userspace").orElseThrow().median()).isEqualTo(0.5);
        assertThat(suite.checks()).hasSize(2);
        assertThat(suite.passed()).isFalse();
    }

    private static Measurement measurement(String mode, String path, double requests, double gigabits) {
        return new Measurement(
                mode,
                path,
                new TreeMap<>(Map.of("web-1", 2, "web-2", 1)),
                new TreeMap<>(Map.of("10.244.1.4", 3)),
                requests,
                200,
                900,
                10_000,
                gigabits,
                0);
    }
}
