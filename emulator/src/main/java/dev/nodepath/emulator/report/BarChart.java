package dev.nodepath.emulator.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Groups of horizontal bars as SVG: a group a path, a bar a mode. Colours come from the page's style by class, so the
 * chart follows its light or dark scheme.
 */
final class BarChart {
    private static final int WIDTH = 720;
    private static final int LABEL_WIDTH = 190;
    private static final int VALUE_WIDTH = 90;
    private static final int BAR_HEIGHT = 18;
    private static final int BAR_GAP = 4;
    private static final int GROUP_GAP = 14;
    private static final int TOP = 8;

    private final String title;
    private final String numberFormat;
    private final List<String> series;

    /**
     * A chart.
     *
     * @param title read out by screen readers
     * @param numberFormat of the figure at a bar's end, for {@link String#format}
     * @param series the modes, in the order of their bars
     */
    BarChart(String title, String numberFormat, List<String> series) {
        this.title = title;
        this.numberFormat = numberFormat;
        this.series = List.copyOf(series);
    }

    /** Draws the groups; a series without a value in a group has no bar there. */
    String render(Map<String, Map<String, Double>> groups) {
        double max = groups.values().stream()
                .flatMap(group -> group.values().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        int groupHeight = series.size() * (BAR_HEIGHT + BAR_GAP) + GROUP_GAP;
        int height = TOP + groups.size() * groupHeight;
        StringBuilder svg = new StringBuilder();
        svg.append(format(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n", WIDTH, height, Html.text(title)));
        int y = TOP;
        for (Map.Entry<String, Map<String, Double>> group : groups.entrySet()) {
            int middle = y + (groupHeight - GROUP_GAP) / 2 + 4;
            svg.append(format(
                    "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>%n",
                    LABEL_WIDTH - 10, middle, Html.text(group.getKey())));
            int barAt = y;
            for (int i = 0; i < series.size(); i++) {
                Double value = group.getValue().get(series.get(i));
                if (value != null) {
                    svg.append(bar(i, barAt, value, max));
                }
                barAt += BAR_HEIGHT + BAR_GAP;
            }
            y += groupHeight;
        }
        return svg.append("</svg>\n").toString();
    }

    private String bar(int index, int y, double value, double max) {
        double length = max > 0 ? value / max * (WIDTH - LABEL_WIDTH - VALUE_WIDTH) : 0;
        return format(
                "<rect class=\"bar s%d\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s: %s</title></rect>"
                        + "<text class=\"value\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                index,
                LABEL_WIDTH,
                y,
                length,
                BAR_HEIGHT,
                Html.text(series.get(index)),
                format(numberFormat, value),
                LABEL_WIDTH + length + 6,
                y + BAR_HEIGHT - 5,
                format(numberFormat, value));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
