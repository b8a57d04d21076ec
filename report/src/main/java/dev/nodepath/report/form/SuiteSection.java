package dev.nodepath.report.form;

import dev.nodepath.report.Check;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Doubts;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One suite on the page: verdict, problems and charts; tables and met checks are folded. */
final class SuiteSection {
    /** Above this number they are folded. */
    private static final int OPEN_MAX = 5;

    private final SuiteResult suite;
    private final Palette palette;

    SuiteSection(SuiteResult suite, Palette palette) {
        this.suite = suite;
        this.palette = palette;
    }

    String render() {
        StringBuilder html = new StringBuilder();
        html.append("<section id=\"" + Html.text(suite.name()) + "\">\n<h2>" + Html.text(suite.name()) + "</h2>\n");
        Doubts.of(suite).forEach(doubt -> html.append("<p class=\"doubt\">" + Html.text(doubt) + "</p>\n"));
        html.append("<p>" + Html.text(suite.verdict()) + "</p>\n");
        html.append(checks(false));
        groups().forEach((group, figures) -> html.append(group(group, figures)));
        html.append(curves());
        if (!suite.figures().isEmpty()) {
            html.append(
                    folded("All " + suite.figures().size() + " figures as a table", new FigureRows(suite).render()));
        }
        SeenSources seen = new SeenSources(suite);
        if (!seen.isEmpty()) {
            html.append(folded("How often each pod answered, and each source was seen", new AnswerRows(seen).render()));
        }
        return html.append(checks(true)).append(notes()).append("</section>\n").toString();
    }

    private static String folded(String summary, String content) {
        return "<details><summary>" + Html.text(summary) + "</summary>\n" + content + "</details>\n";
    }

    private Map<String, List<Figure>> groups() {
        return groups(suite);
    }

    /** The figures of each heading. */
    static Map<String, List<Figure>> groups(SuiteResult suite) {
        Map<String, List<Figure>> groups = new LinkedHashMap<>();
        for (Figure figure : suite.figures()) {
            groups.computeIfAbsent(figure.group(), missing -> new ArrayList<>()).add(figure);
        }
        return groups;
    }

    /** The charts of a group; open if there are few groups or one of its targets was missed. */
    private String group(String name, List<Figure> figures) {
        boolean open = groups().size() <= OPEN_MAX || figures.stream().anyMatch(Figure::missed);
        IdentityHashMap<Figure, Double> scales = Scales.of(figures);
        StringBuilder html = new StringBuilder("<details class=\"group\" id=\""
                + Html.text(Contents.place(suite, name)) + "\"" + (open ? " open" : "") + "><summary>"
                + (name.isEmpty() ? "Figures" : Html.text(name)) + "</summary>\n<div class=\"charts\">\n");
        figures.forEach(figure -> html.append(card(figure, scales.getOrDefault(figure, BarChart.most(figure)))));
        return html.append("</div></details>\n").toString();
    }

    private String card(Figure figure, double most) {
        StringBuilder html = new StringBuilder("<figure><figcaption><b>" + Html.text(figure.what()) + "</b><span>"
                + Html.text(figure.unit()) + (figure.lowerIsBetter() ? ", less is better" : ", more is better")
                + "</span></figcaption>\n");
        html.append(new BarChart(figure, palette, most).render());
        if (BarChart.isRelative(figure)) {
            html.append("<p class=\"scale\">bars: x " + Html.text(figure.baseline()) + "</p>\n");
        }
        if (figure.target().isPresent()) {
            String type = figure.passed() ? "good" : figure.missed() ? "bad" : "soft";
            html.append("<p class=\"target " + type + "\">"
                    + Html.text(FigureText.target(figure) + ": " + FigureText.outcome(figure)) + "</p>\n");
        }
        return html.append("</figure>\n").toString();
    }

    /** Latencies at full width; other curves as cards, folded if there are many. */
    private String curves() {
        StringBuilder cards = new StringBuilder();
        StringBuilder html = new StringBuilder();
        int count = 0;
        for (Curve curve : suite.curves()) {
            if (curve.kind() == Curve.Kind.LATENCY_PERCENTILES) {
                html.append(card(curve));
            } else {
                cards.append(card(curve));
                count++;
            }
        }
        if (count > 0) {
            html.append("<details class=\"group\"" + (count <= OPEN_MAX ? " open" : "") + "><summary>" + count
                    + (count == 1 ? " curve" : " curves") + "</summary>\n<div class=\"charts curves\">\n" + cards
                    + "</div></details>\n");
        }
        return html.toString();
    }

    private String card(Curve curve) {
        StringBuilder html = new StringBuilder("<figure class=\"curve-card\"><figcaption><b>" + Html.text(curve.what())
                + "</b><span>" + Html.text(curve.yUnit()) + "</span></figcaption>\n");
        if (curve.kind() == Curve.Kind.LATENCY_PERCENTILES) {
            // A drawing and its text are scaled together, so a phone gets a drawing of its own.
            html.append("<div class=\"wide\">" + new CurveChart(curve, palette, CurveChart.WIDE).render() + "</div>");
            html.append(
                    "<div class=\"narrow\">" + new CurveChart(curve, palette, CurveChart.NARROW).render() + "</div>");
        } else {
            html.append(new CurveChart(curve, palette, CurveChart.NARROW).render());
        }
        return html.append("</figure>\n").toString();
    }

    /** Failed checks are shown; met checks are folded with their number. */
    private String checks(boolean met) {
        StringBuilder rows = new StringBuilder();
        int count = 0;
        for (Check check : suite.checks()) {
            if (check.met() == met) {
                rows.append("<tr><td class=\"" + (met ? "ok\">✓ met" : "failed\">✗ FAILED") + "</td><td>"
                        + Html.text(check.contender()) + "</td><td>" + Html.text(check.what())
                        + "</td><td class=\"soft\">"
                        + Html.text(check.observed()) + "</td></tr>\n");
                count++;
            }
        }
        if (count == 0) {
            return "";
        }
        String table =
                "<table><thead><tr><th></th><th>Of</th><th>What must hold</th><th>What was seen</th></tr></thead><tbody>\n"
                        + rows + "</tbody></table>\n";
        return met
                ? folded(count + " of " + suite.checks().size() + " checks were met", table)
                : "<h3>Checks that failed</h3>\n" + table;
    }

    private String notes() {
        StringBuilder html = new StringBuilder("<ul class=\"notes soft\">\n");
        suite.notes().forEach(note -> html.append("<li>" + Html.text(note) + "</li>\n"));
        suite.versions().forEach((name, version) -> html.append("<li>" + Html.text(name + ": " + version) + "</li>\n"));
        return html.append("<li>Run it again: <code>" + Html.text(suite.howToRun()) + "</code></li>\n</ul>\n")
                .toString();
    }
}
