package dev.nodepath.report.form;

import static dev.nodepath.report.form.Html.format;

import dev.nodepath.report.Curve;
import dev.nodepath.report.Samples;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A curve as SVG: a line through each contender's medians, a band or bars from the smallest to the largest round, and
 * its name at its end.
 */
final class CurveChart {
    /** The width in a card, and on a phone. */
    static final int NARROW = 440;

    /** The width of a whole page. */
    static final int WIDE = 1120;

    private static final int HEIGHT = 300;
    private static final double TICK_GAP = 6;
    private static final double TOP = 12;
    private static final double BOTTOM = HEIGHT - 44;
    private static final double LINE = 15;
    private static final double LABEL_GAP = 20;

    private final int width;
    private final Curve curve;
    private final Palette palette;
    private final Map<String, List<Curve.Point>> drawn = new LinkedHashMap<>();
    private final double left;
    private final double right;
    private final Axis y;

    CurveChart(Curve curve, Palette palette, int width) {
        this.width = width;
        this.curve = curve;
        this.palette = palette;
        curve.byContender().forEach((contender, points) -> {
            List<Curve.Point> usable = points.stream().filter(this::usable).toList();
            if (!usable.isEmpty()) {
                drawn.put(contender, usable);
            }
        });
        double name = drawn.keySet().stream().mapToDouble(TextWidth::of).max().orElse(0);
        this.right = width - name - LABEL_GAP;
        this.y = yAxis();
        this.left = TICK_GAP
                + y.ticks().stream()
                        .mapToDouble(tick -> TextWidth.of(Axis.name(tick)))
                        .max()
                        .orElse(0);
    }

    /** Whether logarithmic axes have a place for a point. */
    private boolean usable(Curve.Point point) {
        boolean xFits =
                curve.kind() == Curve.Kind.LATENCY_PERCENTILES ? point.x() >= 0 && point.x() < 100 : point.x() > 0;
        return xFits && point.samples().min() > 0;
    }

    String render() {
        StringBuilder svg = new StringBuilder(format(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" data-marks=\"%d\">%n",
                width, HEIGHT, Html.text(curve.what() + ", " + curve.yUnit() + " by " + curve.xUnit()), drawn.size()));
        if (drawn.isEmpty()) {
            return svg.append("<text class=\"soft\" x=\"8\" y=\"24\">nothing was measured</text></svg>\n")
                    .toString();
        }
        Axis x = xAxis();
        grid(svg, x);
        drawn.forEach((contender, points) -> line(svg, contender, points, x));
        labels(svg, x);
        return svg.append("</svg>\n").toString();
    }

    private Axis xAxis() {
        TreeSet<Double> places = new TreeSet<>();
        drawn.values().forEach(points -> points.forEach(point -> places.add(point.x())));
        return curve.kind() == Curve.Kind.LATENCY_PERCENTILES
                ? Axis.percentiles(places.last(), left, right)
                : Axis.logarithmicAt(places, left + 8, right);
    }

    private Axis yAxis() {
        if (drawn.isEmpty()) {
            return Axis.logarithmic(1, 10, BOTTOM, TOP);
        }
        double low = Double.MAX_VALUE;
        double high = 0;
        for (List<Curve.Point> points : drawn.values()) {
            for (Curve.Point point : points) {
                low = Math.min(low, point.samples().min());
                high = Math.max(high, point.samples().max());
            }
        }
        return Axis.logarithmic(low / 1.15, high * 1.15, BOTTOM, TOP);
    }

    private void grid(StringBuilder svg, Axis x) {
        for (double tick : y.ticks()) {
            double at = y.at(tick);
            svg.append(format(
                    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$.1f\" y2=\"%3$.1f\"/>%n", left, right, at));
            text(svg, "end soft", left - TICK_GAP, at + 4, Axis.name(tick));
        }
        svg.append(format(
                "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$.1f\" y2=\"%3$.1f\"/>%n", left, right, BOTTOM));
        double last = -width;
        for (double tick : x.ticks()) {
            double at = x.at(tick);
            double half = TextWidth.of(Axis.name(tick)) / 2;
            // A label that would touch the previous one is left out.
            if (at - half >= last + 6) {
                svg.append(format(
                        "<line class=\"axis\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$.1f\" y2=\"%3$.1f\"/>%n",
                        at, BOTTOM, BOTTOM + 4));
                text(svg, "middle soft", at, BOTTOM + 18, Axis.name(tick));
                last = at + half;
            }
        }
        text(svg, "middle soft", (left + right) / 2, BOTTOM + 37, curve.xUnit());
        text(svg, "soft", left + 4, TOP - 2, curve.yUnit());
    }

    private void line(StringBuilder svg, String contender, List<Curve.Point> points, Axis x) {
        StringBuilder path = new StringBuilder();
        for (Curve.Point point : points) {
            path.append(format("%s%.1f %.1f", path.isEmpty() ? "M" : "L", x.at(point.x()), y.at(point.y())));
        }
        if (curve.kind() == Curve.Kind.LATENCY_PERCENTILES) {
            band(svg, contender, points, x);
        }
        svg.append(format(
                "<path class=\"mark curve %s\" d=\"%s\"><title>%s</title></path>%n",
                palette.line(contender), path, Html.text(contender)));
        if (curve.kind() == Curve.Kind.SCALE_LOG_LOG) {
            points.forEach(point -> point(svg, contender, point, x));
        }
    }

    private void band(StringBuilder svg, String contender, List<Curve.Point> points, Axis x) {
        StringBuilder path = new StringBuilder();
        for (Curve.Point point : points) {
            path.append(format(
                    "%s%.1f %.1f",
                    path.isEmpty() ? "M" : "L",
                    x.at(point.x()),
                    y.at(point.samples().max())));
        }
        for (int i = points.size() - 1; i >= 0; i--) {
            Curve.Point point = points.get(i);
            path.append(
                    format("L%.1f %.1f", x.at(point.x()), y.at(point.samples().min())));
        }
        svg.append(format("<path class=\"band %s\" d=\"%sZ\"/>%n", palette.fill(contender), path));
    }

    private void point(StringBuilder svg, String contender, Curve.Point point, Axis x) {
        Samples samples = point.samples();
        double at = x.at(point.x());
        svg.append(format(
                "<path class=\"range\" d=\"M%1$.1f %2$.1fV%3$.1f\"/>%n", at, y.at(samples.min()), y.at(samples.max())));
        svg.append(format(
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%s</title></circle>%n",
                palette.fill(contender),
                at,
                y.at(point.y()),
                Html.text(contender + ", " + Axis.name(point.x()) + " " + curve.xUnit() + ": " + Numbers.of(point.y())
                        + " " + curve.yUnit() + " (" + Numbers.range(samples) + ")")));
    }

    /** The name of a line, and its preferred height. */
    private record Label(String contender, double x, double y) {}

    /** Puts names at the ends of their lines, and moves overlapping names apart. */
    private void labels(StringBuilder svg, Axis x) {
        List<Label> labels = new ArrayList<>();
        drawn.forEach((contender, points) -> {
            Curve.Point last = points.get(points.size() - 1);
            labels.add(new Label(contender, x.at(last.x()), y.at(last.y())));
        });
        labels.sort(Comparator.comparingDouble(Label::y));
        double[] places = apart(labels.stream().mapToDouble(Label::y).toArray());
        for (int i = 0; i < places.length; i++) {
            Label label = labels.get(i);
            svg.append(format(
                    "<path class=\"leader\" d=\"M%.1f %.1fL%.1f %.1f\"/>%n",
                    label.x() + 5, label.y(), right + 12, places[i]));
            svg.append(format(
                    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>%n",
                    palette.fill(label.contender()), right + 13, places[i]));
            text(svg, "", right + LABEL_GAP, places[i] + 4, label.contender());
        }
    }

    /** The ascending heights, moved so that each is a line below the previous one and none is below the axis. */
    static double[] apart(double[] wanted) {
        double[] places = wanted.clone();
        for (int i = 0; i < places.length; i++) {
            places[i] = Math.max(places[i], i == 0 ? TOP : places[i - 1] + LINE);
        }
        double lowest = BOTTOM;
        for (int i = places.length - 1; i >= 0; i--) {
            places[i] = Math.min(places[i], lowest);
            lowest = places[i] - LINE;
        }
        return places;
    }

    private static void text(StringBuilder svg, String type, double x, double y, String content) {
        svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n", type, x, y, Html.text(content)));
    }
}
