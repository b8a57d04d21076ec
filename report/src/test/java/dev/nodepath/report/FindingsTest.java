package dev.nodepath.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Findings.Finding;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FindingsTest {
    @Test
    void nameTheLeastAndTheMostThatAModeCarries() {
        List<Finding> findings = Findings.of(report(figure("requests", 100, 46), figure("bulk", 20, 15)));

        assertThat(findings)
                .extracting(Finding::text)
                .containsExactly("carries 0.46 (requests) to 0.75 (bulk) of the direct path's load.");
        assertThat(findings.get(0).mode()).isEqualTo("userspace");
    }

    @Test
    void nameTheOnlyFigureThereIs() {
        assertThat(Findings.of(report(figure("requests", 100, 46))))
                .extracting(Finding::text)
                .containsExactly("carries 0.46 of the direct path's requests.");
    }

    @Test
    void areNoneWhereNothingWasMeasuredBesideADirectPath() {
        assertThat(Findings.of(report(figure("requests", Double.NaN, 46)))).isEmpty();
    }

    @Test
    void nameWhatTheLoadCosts() {
        Finding finding = Findings.of(report(
                        figure("requests", 100, 46),
                        cost("CPU of the whole machine for a GB", 10, 12),
                        cost("CPU of the whole machine for 1000 requests", 10, 18),
                        cost("CPU of the proxy's processes for a GB", 1, 90),
                        cost("latency p99", 2, 5),
                        cost("latency p99.9", 2, 50),
                        cost("resident memory after the load", Double.NaN, 85)))
                .get(0);

        assertThat(finding.costs())
                .isEqualTo(
                        "It takes 1.20 to 1.80 x the processor time for the same work. Its p99 latency is 2.50 x the direct path's."
                                + " Its process has 85 ms of memory.");
    }

    @Test
    void areSilentAboutCostsThatWereNotMeasured() {
        assertThat(Findings.of(report(figure("requests", 100, 46))).get(0).costs())
                .isEmpty();
    }

    private static Figure figure(String what, double direct, double userspace) {
        return figure(what, "1/s", false, direct, userspace);
    }

    private static Figure cost(String what, double direct, double userspace) {
        return figure(what, "ms", true, direct, userspace);
    }

    private static Figure figure(String what, String unit, boolean lowerIsBetter, double direct, double userspace) {
        return new Figure(
                "",
                what,
                unit,
                lowerIsBetter,
                "direct",
                Map.of("direct", Samples.of(direct), "userspace", Samples.of(userspace)),
                Optional.empty());
    }

    private static Report report(Figure... figures) {
        Report sample = SampleReport.create();
        SuiteResult suite = new SuiteResult(
                "suite", "", List.of(figures), List.of(), List.of(), List.of(), Map.of(), "again", false);
        return new Report(
                "title", sample.started(), sample.took(), sample.environment(), List.of(suite), false, "again");
    }
}
