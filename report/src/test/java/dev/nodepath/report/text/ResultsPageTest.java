package dev.nodepath.report.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Report;
import dev.nodepath.report.folder.ReportFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The results that are told are those that were measured. */
class ResultsPageTest {
    private static final Path RESULTS = Path.of("..", "docs", "results");

    @Test
    void isTheReportThatLiesBesideIt() throws Exception {
        Report report = new ReportFolder(RESULTS).read();
        assertThat(Files.readString(RESULTS.resolve("report.md"))).isEqualTo(MarkdownReport.render(report));
        assertThat(report.suites())
                .extracting(suite -> suite.name())
                .containsExactly(
                        "userspace", "userspace-reno", "iptables", "nftables", "scale", "programming", "cni", "churn");
    }

    @Test
    void linesForATerminalAreShorterThan120Columns() throws Exception {
        assertThat(TerminalReport.render(new ReportFolder(RESULTS).read()).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(120));
    }
}
