package dev.nodepath.report.html;

import dev.nodepath.report.Check;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.text.FigureText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One suite on the page: verdict, charts, tables, checks, notes. */
final class SuiteSection {
    private final SuiteResult suite;
    private final Palette palette;

    SuiteSection(SuiteResult suite, Palette palette) {
        this.suite = suite;
        this.palette = palette;
    }

    String render() {
        StringBuilder html = new StringBuilder();
        html.append("<section id=\"" + Html.text(suite.name()) + "\">\n<h2>" + Html.text(suite.name()) + "</h2>\n<p>"
                + Html.text(suite.verdict()) + "</p>\n");
        groups().forEach((group, figures) -> html.append(group(group, figures)));
        if (!suite.curves().isEmpty()) {
            html.append("<h3>Curves</h3>\n<div class=\"charts curves\">\n");
            suite.curves().forEach(curve -> html.append(card(curve)));
            html.append("</div>\n");
        }
        if (!suite.figures().isEmpty()) {
            html.append("<h3>All figures</h3>\n").append(new FigureRows(suite).render());
        }
        if (!suite.checks().isEmpty()) {
            html.append("<h3>Checks</h3>\n").append(checks());
        }
        return html.append(notes()).append("</section>\n").toString();
    }

    private Map<String, List<Figure>> groups() {
        Map<String, List<Figure>> groups = new LinkedHashMap<>();
        for (Figure figure : suite.figures()) {
            groups.computeIfAbsent(figure.group(), unused -> new ArrayList<>()).add(figure);
        }
        return groups;
    }

    private String group(String name, List<Figure> figures) {
        StringBuilder html = new StringBuilder("<h3>" + (name.isEmpty() ? "Figures" : Html.text(name)) + "</h3>\n");
        html.append("<div class=\"charts\">\n");
        figures.forEach(figure -> html.append(card(figure)));
        return html.append("</div>\n").toString();
    }

    private String card(Figure figure) {
        StringBuilder html = new StringBuilder("<figure><figcaption><b>" + Html.text(figure.what()) + "</b><span>"
                + Html.text(figure.unit()) + (figure.lowerIsBetter() ? ", less is better" : ", more is better")
                + "</span></figcaption>\n");
        html.append(new BarChart(figure, palette).render());
        if (figure.target().isPresent()) {
            String type = figure.passed() ? "good" : figure.missed() ? "bad" : "soft";
            html.append("<p class=\"target " + type + "\">"
                    + Html.text(FigureText.target(figure) + ": " + FigureText.outcome(figure)) + "</p>\n");
        }
        return html.append("</figure>\n").toString();
    }

    private String card(Curve curve) {
        return "<figure><figcaption><b>" + Html.text(curve.what()) + "</b><span>" + Html.text(curve.yUnit())
                + "</span></figcaption>\n" + new CurveChart(curve, palette).render() + "</figure>\n";
    }

    private String checks() {
        StringBuilder html = new StringBuilder(
                "<table><thead><tr><th></th><th>Of</th><th>What must hold</th><th>What was seen</th></tr></thead><tbody>\n");
        for (Check check : suite.checks()) {
            html.append("<tr><td class=\"" + (check.met() ? "ok\">✓ met" : "failed\">✗ FAILED") + "</td><td>"
                    + Html.text(check.contender()) + "</td><td>" + Html.text(check.what()) + "</td><td class=\"soft\">"
                    + Html.text(check.observed()) + "</td></tr>\n");
        }
        return html.append("</tbody></table>\n").toString();
    }

    private String notes() {
        StringBuilder html = new StringBuilder("<ul class=\"notes soft\">\n");
        suite.notes().forEach(note -> html.append("<li>" + Html.text(note) + "</li>\n"));
        suite.versions().forEach((name, version) -> html.append("<li>" + Html.text(name + ": " + version) + "</li>\n"));
        return html.append("<li>Run it again: <code>" + Html.text(suite.howToRun()) + "</code></li>\n</ul>\n")
                .toString();
    }
}
