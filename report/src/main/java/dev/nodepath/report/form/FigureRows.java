package dev.nodepath.report.form;

import dev.nodepath.report.Figure;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A suite's figures as a table: a row for each figure, a column for each contender; on a narrow screen each row is a
 * block.
 */
final class FigureRows {
    private final SuiteResult suite;
    private final Set<String> contenders = new LinkedHashSet<>();

    FigureRows(SuiteResult suite) {
        this.suite = suite;
        suite.figures().forEach(figure -> contenders.addAll(figure.byContender().keySet()));
    }

    String render() {
        StringBuilder html = new StringBuilder("<table><thead><tr><th>Figure</th>");
        contenders.forEach(contender ->
                html.append("<th class=\"n\">").append(Html.text(contender)).append("</th>"));
        html.append("</tr></thead><tbody>\n");
        String group = "";
        for (Figure figure : suite.figures()) {
            if (!figure.group().equals(group)) {
                group = figure.group();
                html.append("<tr class=\"group\"><th colspan=\"" + (contenders.size() + 1) + "\">" + Html.text(group)
                        + "</th></tr>\n");
            }
            html.append("<tr><th scope=\"row\">" + Html.text(figure.what()) + " <span class=\"soft\">"
                    + Html.text(figure.unit()) + "</span>" + target(figure) + "</th>");
            contenders.forEach(contender -> html.append(cell(figure, contender)));
            html.append("</tr>\n");
        }
        return html.append("</tbody></table>\n").toString();
    }

    private static String cell(Figure figure, String contender) {
        if (!figure.byContender().containsKey(contender)) {
            return "<td></td>";
        }
        Samples samples = figure.samples(contender);
        String ratio = Html.text(FigureText.ratio(figure, contender));
        String shown = figure.isSteady(contender) ? ratio : "<span class=\"soft\">" + ratio + "</span>";
        String range = Numbers.range(samples);
        String spread = Numbers.percent(samples.spread()).replace(" ", "&nbsp;");
        return "<td class=\"n\" data-of=\"" + Html.text(contender) + "\">"
                + "<span>" + Numbers.of(samples.median()) + (ratio.isEmpty() ? "" : " · " + shown) + "</span>"
                + (range.isEmpty() ? "" : "<small>" + range + " · " + spread + "</small>") + "</td>";
    }

    private static String target(Figure figure) {
        if (figure.target().isEmpty()) {
            return "";
        }
        String type = figure.passed() ? "ok" : figure.missed() ? "failed" : "soft";
        return "<small class=\"" + type + "\">"
                + Html.text(FigureText.target(figure) + ": " + FigureText.outcome(figure)) + "</small>";
    }
}
