package dev.nodepath.report.html;

import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.text.FigureText;
import dev.nodepath.report.text.Numbers;

/** What missed its target in any suite, in one table: what a reader of a whole run asks first. */
final class MissedTargets {
    /** More than this are folded. */
    private static final int OPEN_MAX = 12;

    private final Report report;

    MissedTargets(Report report) {
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
        }
        if (count == 0) {
            return "";
        }
        return "<details class=\"misses\"" + (count <= OPEN_MAX ? " open" : "") + "><summary>"
                + (count == 1 ? "One target was missed" : count + " targets were missed")
                + "</summary>\n<table><thead><tr><th>Suite</th><th>Figure</th><th>Expected</th><th>Measured</th></tr></thead>"
                + "<tbody>\n" + rows + "</tbody></table></details>\n";
    }

    private static String row(SuiteResult suite, Figure figure) {
        String place = Contents.place(suite, figure.group());
        String measured = figure.reached()
                .map(value -> figure.target().flatMap(FigureTarget::against).isPresent()
                        ? Numbers.ratio(value)
                        : Numbers.of(value) + " " + figure.unit())
                .orElse("");
        return "<tr><th scope=\"row\">" + Html.text(suite.name()) + "</th><td><a href=\"#" + Html.text(place) + "\">"
                + Html.text(figure.title()) + "</a></td><td>" + Html.text(FigureText.target(figure))
                + "</td><td class=\"failed\">" + Html.text(measured) + "</td></tr>\n";
    }
}
