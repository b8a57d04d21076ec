package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Report;
import dev.nodepath.report.SampleReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MarkdownReportTest {
    private static final Pattern NUMBER = Pattern.compile("-?\\d[\\d,]*(?:\\.\\d+)?(?:E-?\\d+)?");

    @Test
    void everyNumberInItsTablesIsInTheJson() {
        Report report = SampleReport.create();
        Set<String> written = new TreeSet<>();
        NUMBER.matcher(ReportJson.write(report))
                .results()
                .map(MatchResult::group)
                .forEach(number -> {
                    // JSON has no thousands' marks: a comma there ends a number.
                    for (String part : number.split(",", -1)) {
                        double value = part.isEmpty() ? Double.NaN : Double.parseDouble(part);
                        written.add(Numbers.of(value));
                        written.add(Numbers.ratio(value));
                    }
                });

        List<String> missing = new ArrayList<>();
        int checked = 0;
        for (String line : MarkdownReport.render(report).lines().toList()) {
            if (line.startsWith("| ") && !line.contains("---")) {
                String[] cells = line.split(" \\| ", -1);
                for (int i = 1; i < cells.length; i++) {
                    for (MatchResult number : NUMBER.matcher(cells[i].replace("1/s", ""))
                            .results()
                            .toList()) {
                        checked++;
                        if (!written.contains(number.group()) && !written.contains(number.group() + " x")) {
                            missing.add(number.group() + " in " + line);
                        }
                    }
                }
            }
        }

        assertThat(missing).isEmpty();
        assertThat(checked).isGreaterThan(300);
    }

    @Test
    void theMachinesMemoryIsInGigabytesAsOnThePage() {
        assertThat(MarkdownReport.render(SampleReport.create()))
                .contains("- memory: 25.3 GB\n")
                .doesNotContain("kB\n");
    }

    @Test
    void saysDoubtsFirstAndEveryCheckAndHowToRunItAgain() {
        String text = MarkdownReport.render(SampleReport.create());

        assertThat(text).startsWith("# Nodepath bench\n\n**Read these figures with doubt:**\n");
        assertThat(text)
                .contains("- ok: served: DEL leaves no veth (nothing left)")
                .contains("- **FAILED**: standalone: a < b & \"c\" (d > e)")
                .contains("Again: `scripts/nodepath bench userspace`")
                .contains("| 99.99 | ");
    }

    @Test
    void terminalNamesWhatIsMissed() {
        assertThat(TerminalReport.render(SampleReport.create()))
                .contains("! Suite churn did not come to its end")
                .contains("FAILED standalone: a < b")
                .contains("1 of 2 checks met.")
                .containsPattern("served <= 0.60 x debian, reached: 0.4\\d x")
                .containsPattern("userspace <= 120 MB, missed: 12\\d");
    }

    @Test
    void numbersHaveThreeDigitsOrMore() {
        assertThat(List.of(124_289.4, 99.96, 15.94, 1.234, 0.2149, 0.0, -0.2, Double.NaN))
                .extracting(Numbers::of)
                .containsExactly("124,289", "100.0", "15.9", "1.23", "0.215", "0.00", "-0.200", "-");
    }
}
