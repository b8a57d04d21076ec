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
                .containsExactly("carries 0.46 to 0.75 of the direct path's load: most in bulk, least in requests.");
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

    private static Figure figure(String what, double direct, double userspace) {
        return new Figure(
                "",
                what,
                "1/s",
                false,
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
