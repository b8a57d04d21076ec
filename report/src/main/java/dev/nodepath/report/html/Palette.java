package dev.nodepath.report.html;

import dev.nodepath.report.Report;
import java.util.LinkedHashMap;
import java.util.Map;

/** A colour for each contender, the same on the whole page. */
final class Palette {
    /** As many as the style has. */
    private static final int COLOURS = 8;

    private final Map<String, Integer> indexes = new LinkedHashMap<>();

    /** Colours in the order in which contenders appear in the report; a ninth one has the first colour again. */
    static Palette of(Report report) {
        Palette palette = new Palette();
        report.suites().forEach(suite -> {
            suite.figures().forEach(figure -> figure.byContender().keySet().forEach(palette::add));
            suite.curves().forEach(curve -> curve.byContender().keySet().forEach(palette::add));
        });
        return palette;
    }

    private void add(String contender) {
        indexes.putIfAbsent(contender, indexes.size() % COLOURS);
    }

    /** The class of an area of this contender. */
    String fill(String contender) {
        return "f" + indexes.getOrDefault(contender, 0);
    }

    /** The class of a line of this contender. */
    String line(String contender) {
        return "l" + indexes.getOrDefault(contender, 0);
    }
}
