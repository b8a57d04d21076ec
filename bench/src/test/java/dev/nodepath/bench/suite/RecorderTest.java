package dev.nodepath.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.report.Conditions;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Environment;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.form.HtmlReport;
import dev.nodepath.report.form.MarkdownReport;
import dev.nodepath.report.form.ReportJson;
import dev.nodepath.report.form.TerminalReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecorderTest {
    private static final Quantity RATE = Quantity.more("HTTP", "requests", "1/s");
    private static final Quantity LATENCY = Quantity.less("percentile", "latency", "ms");

    private final Recorder recorder = new Recorder("direct");

    @Test
    void keepsValuesOfOneRoundBesideEachOther() {
        recorder.value(RATE, "direct", 0, 100);
        recorder.value(RATE, "direct", 1, 200);
        recorder.value(RATE, "relay", 1, 50);
        Figure figure = recorder.figures().get(0);
        assertThat(figure.samples("relay").perRound()).containsExactly(Double.NaN, 50.0);
        assertThat(figure.ratio("relay").orElseThrow().median()).isEqualTo(0.25);
        assertThat(recorder.samples(RATE, "nobody").perRound()).isEmpty();
    }

    @Test
    void judgesAgainstTheTarget() {
        recorder.value(RATE, "direct", 0, 100);
        recorder.value(RATE, "relay", 0, 50);
        recorder.target(RATE, FigureTarget.ratio("relay", "direct", 0.75));
        List<Figure> figures = recorder.figures();
        assertThat(figures).singleElement().matches(figure -> !figure.passed());
        assertThat(Outcome.verdict(figures))
                .isEqualTo(
                        "0 of 1 targets reached; missed: HTTP: requests: relay 0.500 x direct (expected: >= 0.750).");
        assertThat(Outcome.verdict(List.of())).isEqualTo("No targets.");
        recorder.value(LATENCY, "relay", 0, 6658);
        recorder.target(LATENCY, FigureTarget.of("relay", 3000));
        assertThat(Outcome.verdict(recorder.figures()))
                .endsWith("; percentile: latency: relay 6,658 ms (expected: <= 3,000).");
        Recorder other = new Recorder("direct");
        other.value(RATE, "direct", 0, 100);
        other.value(RATE, "userspace", 0, 51);
        assertThat(Outcome.verdict(other.figures())).isEqualTo("No targets. HTTP: requests: userspace 0.51 x direct.");
    }

    @Test
    void targetThatWasNotMeasuredIsNotAMissedOne() {
        recorder.value(RATE, "relay", 0, 50);
        recorder.target(RATE, FigureTarget.ratio("relay", "direct", 0.75));
        assertThat(Outcome.verdict(recorder.figures()))
                .isEqualTo("0 of 1 targets reached; not measured: HTTP: requests.");
    }

    @Test
    void targetOfWhichNobodyGaveAValueIsShownAsNotMeasured() throws Exception {
        recorder.value(LATENCY, "direct", 0, 3);
        recorder.target(RATE, FigureTarget.of("relay", 100));
        recorder.target(LATENCY, FigureTarget.of("relay", 5));
        List<Figure> figures = recorder.figures();
        assertThat(figures).extracting(Figure::what).containsExactly("latency", "requests");
        assertThat(figures).noneMatch(Figure::passed).noneMatch(Figure::missed);

        String verdict = Outcome.verdict(figures);
        assertThat(verdict).isEqualTo("0 of 2 targets reached; not measured: percentile: latency; HTTP: requests.");
        SuiteResult suite =
                new SuiteResult("relay", verdict, figures, List.of(), List.of(), List.of(), Map.of(), "again", false);
        Environment environment = new Environment(Map.of(), 2, new Conditions(0, 0, 0, 0, 0));
        Report report =
                new Report("bench", Instant.EPOCH, Duration.ofSeconds(1), environment, List.of(suite), false, "again");
        assertThat(report.passed()).isFalse();
        assertThat(TerminalReport.render(report))
                .contains("relay <= 5.00 ms, not measured", "relay >= 100 1/s, not measured");
        assertThat(MarkdownReport.render(report))
                .contains("relay <= 5.00 ms, not measured", "relay >= 100 1/s, not measured");
        assertThat(HtmlReport.render(report))
                .contains("relay &lt;= 5.00 ms: not measured", "100 1/s: not measured", "not all of 2 measured");
        Report again = ReportJson.read("report.json", ReportJson.write(report));
        assertThat(again.suites()).containsExactly(suite);
    }

    @Test
    void ordersThePointsOfACurve() {
        recorder.point(LATENCY, "direct", 99, 0, 3);
        recorder.point(LATENCY, "direct", 50, 0, 1);
        recorder.point(LATENCY, "direct", 50, 1, 2);
        Curve curve = recorder.curves(Curve.Kind.LATENCY_PERCENTILES).get(0);
        List<Curve.Point> points = curve.byContender().getOrDefault("direct", List.of());
        assertThat(points).extracting(Curve.Point::x).containsExactly(50.0, 99.0);
        assertThat(points.get(0).samples().perRound()).containsExactly(1.0, 2.0);
        assertThat(curve.xUnit()).isEqualTo("percentile");
    }
}
