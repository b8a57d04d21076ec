package dev.nodepath.report.form;

import dev.nodepath.report.Check;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;

/** The missed targets and failed checks of all suites, in one table: the first question of a reader. */
final class Misses {
    /** Above this number the table is folded. */
    private static final int OPEN_MAX = 12;

    private final Report report;

    Misses(Report report) {
        this.report = report;
    }

    String render() {
        StringBuilder rows = new StringBuilder();
        int count = 0;
        for (SuiteResult suite : report.suites()) {
            for (Figure figure : suite.figures()) {
                if (figure.missed()) {
                    rows.append(row(suite, figure));
                    count++;
                }
            }
            for (Check check : suite.checks()) {
                if (!check.met()) {
                    rows.append(row(suite, check));
                    count++;
                }
            }
        }
        if (count == 0) {
            return "";
        }
        return "<details class=\"misses\"" + (count <= OPEN_MAX ? " open" : "") + "><summary>"
                + (count == 1 ? "One target or check was missed" : count + " targets and checks were missed")
                + "</summary>\n<table><thead><tr><th>Suite</th><th>Of</th><th>Expected</th><th>Seen</th></tr></thead>"
                + "<tbody>\n" + rows + "</tbody></table></details>\n";
    }

    private static String row(SuiteResult suite, Figure figure) {
        String measured = figure.reached()
                .map(value -> figure.target().flatMap(FigureTarget::against).isPresent()
                        ? Numbers.ratio(value)
                        : Numbers.of(value) + " " + figure.unit())
                .orElse("");
        return row(suite, Contents.place(suite, figure.group()), figure.title(), FigureText.target(figure), measured);
    }

    private static String row(SuiteResult suite, Check check) {
        return row(suite, suite.name(), check.contender(), check.what(), check.observed());
    }

    private static String row(SuiteResult suite, String place, String what, String expected, String measured) {
        return "<tr><th scope=\"row\">" + Html.text(suite.name()) + "</th><td><a href=\"#" + Html.text(place) + "\">"
                + Html.text(what) + "</a></td><td>" + Html.text(expected) + "</td><td class=\"failed\">"
                + Html.text(measured) + "</td></tr>\n";
    }
}
