package dev.nodepath.report.form;

import dev.nodepath.report.Report;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gives each contender a colour, which is the same on the whole page. */
final class Palette {
    /** The number of colours in the style sheet. */
    private static final int COLOURS = 9;

    private final Map<String, Integer> indexes = new LinkedHashMap<>();

    /**
     * Gives colours to contenders in the order of their appearance in the report; the direct path and the modes come
     * first. The tenth contender gets the first colour again.
     */
    static Palette of(Report report) {
        Palette palette = new Palette();
        List.of("direct", "userspace", "iptables", "nftables").forEach(palette::add);
        report.suites().forEach(suite -> {
            suite.figures().forEach(figure -> figure.byContender().keySet().forEach(palette::add));
            suite.answers().ifPresent(paths -> paths.forEach(path -> palette.add(path.contender())));
            suite.curves().forEach(curve -> curve.byContender().keySet().forEach(palette::add));
        });
        return palette;
    }

    private void add(String contender) {
        indexes.putIfAbsent(contender, indexes.size() % COLOURS);
    }

    /** The number of this contender's colour. */
    int index(String contender) {
        return indexes.getOrDefault(contender, 0);
    }

    /** The CSS class that fills an area of this contender. */
    String fill(String contender) {
        return "f" + index(contender);
    }

    /** The CSS class that strokes a line of this contender. */
    String line(String contender) {
        return "l" + index(contender);
    }
}
