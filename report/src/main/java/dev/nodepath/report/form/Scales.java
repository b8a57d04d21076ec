package dev.nodepath.report.form;

import dev.nodepath.report.Figure;
import java.util.IdentityHashMap;
import java.util.List;

/** The length of each chart's axis in a group: comparable charts share one. */
final class Scales {
    /** A chart would show nothing beside one that reaches so many times as far. */
    private static final double APART_MAX = 8;

    private Scales() {}

    /** The largest value of each figure's axis. */
    static IdentityHashMap<Figure, Double> of(List<Figure> figures) {
        IdentityHashMap<Figure, Double> scales = new IdentityHashMap<>();
        for (Figure figure : figures) {
            double own = BarChart.most(figure);
            double widest = own;
            double least = own;
            for (Figure other : figures) {
                if (areCompared(figure, other)) {
                    widest = Math.max(widest, BarChart.most(other));
                    least = Math.min(least, BarChart.most(other));
                }
            }
            scales.put(figure, widest <= APART_MAX * least ? widest : own);
        }
        return scales;
    }

    private static boolean areCompared(Figure one, Figure other) {
        return BarChart.isRelative(one) == BarChart.isRelative(other)
                && one.lowerIsBetter() == other.lowerIsBetter()
                && (BarChart.isRelative(one)
                        ? one.baseline().equals(other.baseline())
                        : one.unit().equals(other.unit()));
    }
}
