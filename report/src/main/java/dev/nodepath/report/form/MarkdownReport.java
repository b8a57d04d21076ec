package dev.nodepath.report.form;

import static dev.nodepath.report.form.TextTable.numbers;

import dev.nodepath.report.Check;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Doubts;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A report as Markdown. */
public final class MarkdownReport {
    private static final String NOTE =
            "**Median** (smallest to largest round), and as a factor of the suite's baseline: the median of the ratios of each round.";

    private final StringBuilder text = new StringBuilder();

    private MarkdownReport() {}

    /** The whole report. */
    public static String render(Report report) {
        MarkdownReport markdown = new MarkdownReport();
        markdown.add(report);
        return markdown.text.toString();
    }

    private void add(Report report) {
        line("# " + report.title());
        List<String> doubts = Doubts.of(report);
        if (!doubts.isEmpty()) {
            line("**Read these figures with doubt:**");
            doubts.forEach(doubt -> text.append("- ").append(doubt).append('\n'));
            text.append('\n');
        }
        for (SuiteResult suite : report.suites()) {
            text.append("- **")
                    .append(suite.name())
                    .append("**: ")
                    .append(suite.verdict())
                    .append('\n');
        }
        text.append('\n');
        if (report.suites().stream().anyMatch(suite -> !suite.figures().isEmpty())) {
            line(NOTE);
        }
        report.suites().forEach(this::add);
        line("## Machine");
        report.environment()
                .facts()
                .forEach((name, fact) -> text.append("- " + name + ": " + Numbers.ofFact(fact) + "\n"));
        text.append("- load at start: "
                + Numbers.of(report.environment().conditions().loadAtStart()) + "\n");
        line("- started: " + report.started() + ", took " + report.took().toSeconds() + " s");
        line("## Run it again");
        line("    " + report.command());
    }

    private void add(SuiteResult suite) {
        line("## " + suite.name());
        line(suite.verdict());
        if (!suite.figures().isEmpty()) {
            line(FigureTable.columns(suite).toMarkdown().stripTrailing());
        }
        suite.curves().forEach(this::add);
        if (!suite.checks().isEmpty()) {
            line("### Checks");
            for (Check check : suite.checks()) {
                text.append(check.met() ? "- ok: " : "- **FAILED**: ")
                        .append(check.contender() + ": " + check.what() + " (" + check.observed() + ")\n");
            }
            text.append('\n');
        }
        if (!suite.notes().isEmpty() || !suite.versions().isEmpty()) {
            line("### Notes");
            suite.notes().forEach(note -> text.append("- ").append(note).append('\n'));
            suite.versions().forEach((name, version) -> text.append("- " + name + ": " + version + "\n"));
            text.append('\n');
        }
        line("Again: `" + suite.howToRun() + "`");
    }

    private void add(Curve curve) {
        line("### " + curve.what());
        List<TextTable.Column> columns = new ArrayList<>(List.of(numbers(curve.xUnit())));
        curve.byContender().keySet().forEach(contender -> columns.add(numbers(contender + ", " + curve.yUnit())));
        TextTable table = new TextTable(columns);
        TreeSet<Double> places = new TreeSet<>();
        curve.byContender().values().forEach(points -> points.forEach(point -> places.add(point.x())));
        for (double x : places) {
            List<String> row = new ArrayList<>(List.of(x(x)));
            for (Map.Entry<String, List<Curve.Point>> entry :
                    curve.byContender().entrySet()) {
                row.add(entry.getValue().stream()
                        .filter(point -> point.x() == x)
                        .findFirst()
                        .map(point -> Numbers.of(point.y()))
                        .orElse(""));
            }
            table.add(row);
        }
        line(table.toMarkdown().stripTrailing());
    }

    /** Rounding must not turn 99.99 into 100. */
    private static String x(double x) {
        return x == Math.rint(x) ? Numbers.of(x).replaceAll("\\.0+$", "") : String.valueOf(x);
    }

    private void line(String line) {
        text.append(line).append("\n\n");
    }
}
