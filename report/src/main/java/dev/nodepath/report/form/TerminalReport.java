package dev.nodepath.report.form;

import dev.nodepath.report.Check;
import dev.nodepath.report.Doubts;
import dev.nodepath.report.Findings;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;

/** A report as text for a terminal. */
public final class TerminalReport {
    private TerminalReport() {}

    /** The whole report: the effects and costs of each mode, the doubts, then each suite. */
    public static String render(Report report) {
        StringBuilder text = new StringBuilder();
        text.append(Wrapped.text(
                "",
                report.title() + ", " + report.started() + ", " + report.took().toSeconds() + " s"));
        for (Findings.Finding finding : Findings.of(report)) {
            text.append(Wrapped.text(finding.mode() + " ", (finding.text() + " " + finding.costs()).strip()));
        }
        text.append(doubts(report));
        report.suites().forEach(suite -> text.append('\n').append(render(suite)));
        return text.toString();
    }

    /** The doubts about the report, a line each. */
    public static String doubts(Report report) {
        StringBuilder text = new StringBuilder();
        Doubts.of(report).forEach(doubt -> text.append(Wrapped.text("! ", doubt)));
        return text.toString();
    }

    /** One suite: verdict, figures, failed checks and notes. */
    public static String render(SuiteResult suite) {
        StringBuilder text = new StringBuilder();
        text.append(Wrapped.text(suite.name() + ": ", suite.verdict()));
        if (!suite.figures().isEmpty()) {
            text.append(FigureTable.lines(suite));
        }
        for (Check check : suite.checks()) {
            if (!check.met()) {
                text.append(Wrapped.text(
                        "FAILED ", check.contender() + ": " + check.what() + " (" + check.observed() + ")"));
            }
        }
        if (!suite.checks().isEmpty()) {
            long met = suite.checks().stream().filter(Check::met).count();
            text.append(met + " of " + suite.checks().size() + " checks met.\n");
        }
        suite.notes().forEach(note -> text.append(Wrapped.text("- ", note)));
        return text.toString();
    }
}
