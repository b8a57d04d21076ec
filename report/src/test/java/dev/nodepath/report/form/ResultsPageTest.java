package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The published results are the measured ones. */
class ResultsPageTest {
    private static final Path RESULTS = Path.of("..", "docs", "results");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            .           | userspace userspace-reno iptables nftables scale programming cni churn
            faster-host | userspace userspace-reno
            """)
    void isTheReportThatLiesBesideIt(String folder, String suites) throws Exception {
        Path results = RESULTS.resolve(folder);
        Report report = new ReportFolder(results).read();

        assertThat(Files.readString(results.resolve("report.md"))).isEqualTo(MarkdownReport.render(report));
        assertThat(report.suites()).extracting(suite -> suite.name()).containsExactly(suites.split(" ", -1));
    }

    @Test
    void linesForATerminalAreShorterThan120Columns() throws Exception {
        assertThat(TerminalReport.render(new ReportFolder(RESULTS).read()).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(120));
    }
}
