package dev.nodepath.emulator.report;

import java.util.Locale;

/** The report as Markdown. */
final class MarkdownReport {
    private MarkdownReport() {}

    static String render(CompareReport report) {
        StringBuilder text = new StringBuilder("# Proxy modes compared\n\n");
        text.append(Verdict.of(report)).append("\n\n");
        text.append(ResultTable.of(report).toMarkdown()).append('\n');
        text.append(ResultTable.NOTE).append("\n\n");
        text.append("## Expectations\n\n");
        for (Expectation expectation : report.expectations()) {
            text.append(expectation.met() ? "- ok: " : "- **FAILED**: ")
                    .append(expectation.mode())
                    .append(": ")
                    .append(expectation.what())
                    .append(" (")
                    .append(expectation.observed())
                    .append(")\n");
        }
        text.append("\n## Machine\n\n");
        report.environment().facts().forEach((name, value) -> text.append("- " + name + ": " + value + "\n"));
        text.append(String.format(
                Locale.ROOT, "- load at start: %.2f%n", report.environment().loadAtStart()));
        text.append("- started: " + report.startedAt() + ", took "
                + report.elapsed().toSeconds() + " s\n");
        return text.toString();
    }
}
