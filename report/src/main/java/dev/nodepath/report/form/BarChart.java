package dev.nodepath.report.form;

import static dev.nodepath.report.form.Html.format;

import dev.nodepath.report.Figure;
import dev.nodepath.report.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A figure as SVG: a bar for each contender with a line from its smallest to its largest round, over an axis with
 * ticks. With a baseline the bar is as long as the printed factor; without one it is as long as the median. Colours
 * are in the page's style.
 */
final class BarChart {
    private static final int WIDTH = 360;
    private static final int ROW = 26;
    private static final int BAR = 14;
    private static final int GAP = 10;
    private static final int AXIS = 20;
    private static final int TICK_GAP = 6;

    /** The limit of a line, as a multiple of the longest bar. */
    private static final double REACH = 1.08;

    private final Figure figure;
    private final Palette palette;
    private final double left;
    private final double right;
    private final double ratioWidth;
    private final double most;

    BarChart(Figure figure, Palette palette, double most) {
        this.figure = figure;
        this.palette = palette;
        double name = 0;
        double value = 0;
        double ratio = 0;
        for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
            name = Math.max(name, TextWidth.of(entry.getKey()));
            value = Math.max(value, TextWidth.of(Numbers.of(entry.getValue().median())));
            ratio = Math.max(ratio, TextWidth.of(ratio(entry.getKey())));
        }
        this.left = name + GAP;
        this.ratioWidth = ratio == 0 ? 0 : ratio + GAP;
        this.right = WIDTH - ratioWidth - value - GAP - 4;
        this.most = most;
    }

    /** The value that the axis must reach for this figure: its longest bar or its target. A longer line is cut. */
    static double most(Figure figure) {
        double most = limit(figure).orElse(0.0);
        for (String contender : figure.byContender().keySet()) {
            double median = shown(figure, contender).median();
            most = Double.isFinite(median) ? Math.max(most, median) : most;
        }
        return most;
    }

    /** Whether bars are factors of a measured baseline. */
    static boolean isRelative(Figure figure) {
        return Double.isFinite(figure.samples(figure.baseline()).median());
    }

    private static Samples shown(Figure figure, String contender) {
        return isRelative(figure)
                ? figure.samples(contender).over(figure.samples(figure.baseline()))
                : figure.samples(contender);
    }

    String render() {
        int height = figure.byContender().size() * ROW + 4;
        List<Double> ticks = ticks(most);
        StringBuilder svg = new StringBuilder(format(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" data-marks=\"%d\">%n",
                WIDTH, height + AXIS, Html.text(figure.title() + ", " + figure.unit()), marks()));
        double last = -WIDTH;
        for (double tick : ticks) {
            svg.append(format(
                    "<line class=\"grid\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"0\" y2=\"%2$d\"/>%n", at(tick), height));
            double half = TextWidth.of(Axis.name(tick)) / 2;
            // A label that would touch the previous one is left out; its line stays.
            if (at(tick) - half >= last + TICK_GAP) {
                text(svg, "middle soft tick", at(tick), height + 14, Axis.name(tick));
                last = at(tick) + half;
            }
        }
        int y = 2;
        for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
            row(svg, entry.getKey(), entry.getValue(), y);
            y += ROW;
        }
        svg.append(format("<line class=\"axis\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"0\" y2=\"%2$d\"/>%n", left, height));
        return svg.append("</svg>\n").toString();
    }

    /** The number of bars: one for each measured contender. */
    private long marks() {
        return figure.byContender().keySet().stream()
                .filter(contender -> !shown(figure, contender).measured().isEmpty())
                .count();
    }

    private void row(StringBuilder svg, String contender, Samples samples, int y) {
        int baseline = y + ROW / 2 + 4;
        double middle = y + ROW / 2.0;
        text(svg, "end", left - GAP + 2, baseline, contender);
        text(svg, ratioWidth == 0 ? "end" : "end soft", WIDTH - ratioWidth, baseline, Numbers.of(samples.median()));
        text(svg, "end", WIDTH, baseline, ratio(contender));
        Samples shown = shown(figure, contender);
        double median = shown.median();
        if (!Double.isFinite(median)) {
            return;
        }
        svg.append(format(
                "<rect class=\"mark %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"1.5\"><title>%s</title></rect>%n",
                palette.fill(contender),
                left,
                middle - BAR / 2.0,
                Math.max(1, at(median) - left),
                BAR,
                Html.text(contender + ": " + Numbers.of(samples.median()) + " " + figure.unit() + range(samples))));
        if (shown.measured().size() > 1 && shown.max() > shown.min()) {
            svg.append(whiskers(shown, middle));
        }
        if (figure.target()
                .filter(target -> target.contender().equals(contender))
                .isPresent()) {
            limit(figure)
                    .ifPresent(limit -> svg.append(format(
                            "<line class=\"limit\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$.1f\" y2=\"%3$.1f\"/>%n",
                            at(limit), middle - 11, middle + 11)));
        }
    }

    /** A line from the smallest round to the largest, with a cap at each end; an end beyond the chart has no cap. */
    private String whiskers(Samples shown, double middle) {
        double end = most * REACH;
        StringBuilder path = new StringBuilder(
                format("M%.1f %.1fH%.1f", at(Math.min(shown.min(), end)), middle, at(Math.min(shown.max(), end))));
        for (double value : new double[] {shown.min(), shown.max()}) {
            if (value <= end) {
                path.append(format("M%.1f %.1fv6", at(value), middle - 3));
            }
        }
        return format("<path class=\"range\" d=\"%s\"/>%n", path);
    }

    private static String range(Samples samples) {
        String range = Numbers.range(samples);
        return range.isEmpty() ? "" : " (" + range + ")";
    }

    /** The target's limit, on the scale of the bars; empty without a target. */
    private static Optional<Double> limit(Figure figure) {
        return figure.target()
                .map(target -> target.limit()
                        * target.against()
                                .map(against -> shown(figure, against).median())
                                .orElseGet(() -> isRelative(figure)
                                        ? 1 / figure.samples(figure.baseline()).median()
                                        : 1.0))
                .filter(Double::isFinite);
    }

    /** Round values from 0, and four more at most. */
    static List<Double> ticks(double most) {
        if (!(most > 0)) {
            return List.of(0.0);
        }
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        double step = power;
        for (double part : new double[] {0.25, 0.5, 1, 2, 2.5}) {
            step = part * power;
            if (most / step < 5) {
                break;
            }
        }
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i * step <= most * REACH; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    private double at(double value) {
        return most > 0 ? left + Math.max(0, value) / (most * REACH) * (right - left) : left;
    }

    private String ratio(String contender) {
        return FigureText.ratio(figure, contender);
    }

    private static void text(StringBuilder svg, String type, double x, int y, String content) {
        if (!content.isEmpty()) {
            svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n", type, x, y, Html.text(content)));
        }
    }
}
