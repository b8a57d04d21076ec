package dev.nodepath.report.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Report;
import dev.nodepath.report.folder.ReportFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The results that are told are those that were measured. */
class ResultsPageTest {
    private static final Path DOCS = Path.of("..", "docs");

    @Test
    void endsWithTheReportThatLiesBesideIt() throws Exception {
        Report report = new ReportFolder(DOCS.resolve("results")).read();
        assertThat(Files.readString(DOCS.resolve("results.md"))).endsWith(MarkdownReport.render(report));
        assertThat(report.suites())
                .extracting(suite -> suite.name())
                .containsExactly("userspace", "iptables", "scale", "programming", "cni", "churn");
    }
}
