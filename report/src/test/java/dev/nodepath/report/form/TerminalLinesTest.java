package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Check;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Report;
import dev.nodepath.report.ReportDiff;
import dev.nodepath.report.SampleReport;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** No line printed for a terminal has 120 columns, however long names are. */
class TerminalLinesTest {
    /** As long as a name of Kubernetes can be, and without a place to break it. */
    private static final String LONG = "x".repeat(253);

    private static final String WORDS = "a name of many words ".repeat(20).strip();

    @Test
    void reportsFit() {
        assertFits(TerminalReport.render(SampleReport.create()));
        assertFits(TerminalReport.render(report(1)));
        assertThat(TerminalReport.render(report(1))).contains("carries 0.50", "FAILED x", "…");
    }

    @Test
    void differencesFit() {
        String text = DiffText.render(ReportDiff.of(report(1), report(2)));

        assertFits(text);
        assertThat(text).contains("+100.0 %", "better");
    }

    @Test
    void aTableIsCutOnlyWhereItIsTooWide() {
        TextTable table = new TextTable(List.of(TextTable.words("who"), TextTable.numbers("much")));
        table.add(List.of("short", "1"));
        assertThat(table.toTerminal()).isEqualTo(table.toText());

        table.add(List.of(LONG, "1,000"));

        assertFits(table.toTerminal());
        assertThat(table.toTerminal()).contains("short", "x…  1,000");
    }

    @Test
    void sentencesKeepTheirWordsUnlessOneIsLongerThanALine() {
        assertThat(Wrapped.text("- ", "short")).isEqualTo("- short\n");
        assertThat(Wrapped.text("! ", WORDS).replaceAll("\\s+", " ").strip()).isEqualTo("! " + WORDS);
        assertThat(Wrapped.text("a start that is longer than some lines: ", WORDS)
                        .replaceAll("\\s+", " ")
                        .strip())
                .isEqualTo("a start that is longer than some lines: " + WORDS);
        assertThat(Wrapped.text("! ", "a " + LONG + " b").replaceAll("\\s+", ""))
                .isEqualTo("!a" + LONG + "b");
        assertFits(Wrapped.text(LONG.substring(0, 100), WORDS + " " + LONG));
    }

    private static void assertFits(String text) {
        assertThat(text.lines())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(120));
    }

    private static Report report(double factor) {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("direct", Samples.of(100, 100));
        values.put("userspace", Samples.of(50 * factor, 50 * factor));
        values.put(LONG, Samples.of(1e9 * factor, 1e9 * factor));
        Figure figure = new Figure(
                WORDS, LONG, LONG, false, "direct", values, Optional.of(FigureTarget.ratio(LONG, "direct", 1e12)));
        SuiteResult suite = new SuiteResult(
                LONG,
                WORDS,
                List.of(figure),
                List.of(),
                List.of(new Check(LONG, WORDS, false, LONG)),
                List.of(LONG + " " + WORDS),
                Map.of(),
                "again",
                false);
        Report sample = SampleReport.create();
        return new Report(LONG, sample.started(), sample.took(), sample.environment(), List.of(suite), false, "again");
    }
}
