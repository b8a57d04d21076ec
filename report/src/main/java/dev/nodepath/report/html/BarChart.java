package dev.nodepath.report.html;

import static dev.nodepath.report.html.Html.format;

import dev.nodepath.report.Figure;
import dev.nodepath.report.Samples;
import dev.nodepath.report.text.Numbers;
import java.util.Map;
import java.util.Optional;

/**
 * A figure as SVG: a bar for each contender, as long as its median, with a line from its smallest to its largest round, its
 * number and its ratio to the baseline at the right. Colours come from the page's style by class.
 */
final class BarChart {
    private static final int WIDTH = 360;
    private static final int ROW = 26;
    private static final int BAR = 14;
    private static final int GAP = 10;

    private final Figure figure;
    private final Palette palette;
    private final double left;
    private final double right;
    private final double ratioWidth;
    private final double most;

    BarChart(Figure figure, Palette palette) {
        this.figure = figure;
        this.palette = palette;
        double name = 0;
        double value = 0;
        double ratio = 0;
        double largest = limit().orElse(0.0);
        for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
            name = Math.max(name, TextWidth.of(entry.getKey()));
            value = Math.max(value, TextWidth.of(Numbers.of(entry.getValue().median())));
            ratio = Math.max(ratio, TextWidth.of(ratio(entry.getKey())));
            double max = entry.getValue().max();
            largest = Double.isFinite(max) ? Math.max(largest, max) : largest;
        }
        this.left = name + GAP;
        this.ratioWidth = ratio == 0 ? 0 : ratio + GAP;
        this.right = WIDTH - ratioWidth - value - GAP;
        this.most = largest;
    }

    String render() {
        int height = figure.byContender().size() * ROW + 4;
        StringBuilder svg = new StringBuilder(format(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" data-marks=\"%d\">%n",
                WIDTH, height, Html.text(figure.title() + ", " + figure.unit()), marks()));
        int y = 2;
        for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
            row(svg, entry.getKey(), entry.getValue(), y);
            y += ROW;
        }
        svg.append(format("<line class=\"axis\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"0\" y2=\"%2$d\"/>%n", left, height));
        return svg.append("</svg>\n").toString();
    }

    /** How many bars there are: one for each contender that was measured. */
    private long marks() {
        return figure.byContender().values().stream()
                .filter(samples -> !samples.measured().isEmpty())
                .count();
    }

    private void row(StringBuilder svg, String contender, Samples samples, int y) {
        int baseline = y + ROW / 2 + 4;
        double middle = y + ROW / 2.0;
        text(svg, "end", left - GAP + 2, baseline, contender);
        double median = samples.median();
        text(svg, "end", WIDTH - ratioWidth, baseline, Numbers.of(median));
        text(svg, "end soft", WIDTH, baseline, ratio(contender));
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
                Html.text(contender + ": " + Numbers.of(median) + " " + figure.unit() + range(samples))));
        if (samples.measured().size() > 1) {
            double from = at(samples.min());
            double to = at(samples.max());
            svg.append(format(
                    "<path class=\"range\" d=\"M%1$.1f %3$.1fH%2$.1fM%1$.1f %4$.1fv6M%2$.1f %4$.1fv6\"/>%n",
                    from, to, middle, middle - 3));
        }
        if (figure.target()
                .filter(target -> target.contender().equals(contender))
                .isPresent()) {
            limit().ifPresent(limit -> svg.append(format(
                    "<line class=\"limit\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$.1f\" y2=\"%3$.1f\"/>%n",
                    at(limit), middle - 11, middle + 11)));
        }
    }

    private static String range(Samples samples) {
        String range = Numbers.range(samples);
        return range.isEmpty() ? "" : " (" + range + ")";
    }

    /** The target's limit, as a position on the scale of values; empty without a target. */
    private Optional<Double> limit() {
        return figure.target()
                .map(target -> target.limit()
                        * target.against()
                                .map(against -> figure.samples(against).median())
                                .orElse(1.0))
                .filter(Double::isFinite);
    }

    private double at(double value) {
        return most > 0 ? left + Math.max(0, value) / most * (right - left) : left;
    }

    private String ratio(String contender) {
        return figure.ratio(contender)
                .map(samples -> Numbers.ratio(samples.median()))
                .orElse("");
    }

    private static void text(StringBuilder svg, String type, double x, int y, String content) {
        if (!content.isEmpty()) {
            svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n", type, x, y, Html.text(content)));
        }
    }
}
