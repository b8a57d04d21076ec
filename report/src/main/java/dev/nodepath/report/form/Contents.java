package dev.nodepath.report.form;

import dev.nodepath.report.Figure;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.List;

/** The table of contents: a card for each suite, or for each group of the only suite. */
final class Contents {
    private static final int WIDE_MAX = 7;
    private static final int MIDDLE_MAX = 4;
    private static final int NARROW_MAX = 2;

    private final List<String> cards = new ArrayList<>();

    Contents(Report report) {
        if (report.suites().size() == 1) {
            SuiteResult only = report.suites().get(0);
            card(only.name(), only.name(), badge(only));
            SuiteSection.groups(only).forEach((name, figures) -> {
                if (!name.isEmpty()) {
                    card(place(only, name), name, badge("none", figures.size() + " charts"));
                }
            });
        } else {
            report.suites().forEach(suite -> card(suite.name(), suite.name(), badge(suite)));
        }
        card("machine", "machine", badge("none", "and command"));
    }

    /** The anchor of a group on the page. */
    static String place(SuiteResult suite, String group) {
        return suite.name() + "-" + group.replaceAll("[^A-Za-z0-9]+", "-");
    }

    String render() {
        StringBuilder html = new StringBuilder("<nav aria-label=\"Contents\"><ul style=\"--wide:" + columns(WIDE_MAX)
                + ";--middle:" + columns(MIDDLE_MAX) + ";--narrow:" + columns(NARROW_MAX) + "\" class=\""
                + (isAlone(WIDE_MAX) ? "alone-wide " : "") + (isAlone(MIDDLE_MAX) ? "alone-middle " : "")
                + (isAlone(NARROW_MAX) ? "alone-narrow" : "") + "\">\n");
        cards.forEach(html::append);
        return html.append("</ul></nav>\n").toString();
    }

    private void card(String place, String name, String badge) {
        cards.add("<li><a href=\"#" + Html.text(place) + "\">" + Html.text(name) + "</a>" + badge + "</li>\n");
    }

    private int columns(int max) {
        return columns(cards.size(), max);
    }

    /** A last card that is alone with every number of columns takes its whole row. */
    private boolean isAlone(int max) {
        return cards.size() % columns(max) == 1;
    }

    /** The number of columns with about equal rows, and if possible without a single card in the last row. */
    static int columns(int cards, int max) {
        int rows = (cards + max - 1) / max;
        int columns = (cards + rows - 1) / rows;
        while (columns > 2 && cards % columns == 1) {
            columns--;
        }
        return columns;
    }

    private static String badge(SuiteResult suite) {
        long missed = suite.figures().stream().filter(Figure::missed).count()
                + suite.checks().stream().filter(check -> !check.met()).count();
        long all = suite.figures().stream()
                        .filter(figure -> figure.target().isPresent())
                        .count()
                + suite.checks().size();
        if (suite.partial()) {
            return badge("warn", "incomplete");
        }
        if (all == 0) {
            return badge("none", "no targets");
        }
        if (missed > 0) {
            return badge("bad", "✗ " + missed + " of " + all + " missed");
        }
        if (suite.passed()) {
            return badge("good", "✓ " + all + " of " + all);
        }
        boolean unmeasured = suite.figures().stream().anyMatch(Figure::unmeasured);
        return badge("warn", "not all of " + all + (unmeasured ? " measured" : " decided"));
    }

    private static String badge(String type, String text) {
        return "<span class=\"badge " + type + "\">" + text + "</span>";
    }
}
