package dev.nodepath.bench.suite;

import dev.nodepath.report.Curve;
import dev.nodepath.report.Curve.Point;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Samples;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Collects values while a suite runs. It makes figures and curves at any moment. A round without a value is NaN, so
 * values of one round keep one index.
 */
public final class Recorder {
    private final Map<Quantity, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    private final Map<Quantity, Map<String, TreeMap<Double, List<Double>>>> curves = new LinkedHashMap<>();
    private final Map<Quantity, FigureTarget> targets = new LinkedHashMap<>();
    private final String baseline;

    /**
     * A measured quantity.
     *
     * @param group the heading that it stands below with others; for a curve the unit of x
     * @param what the thing
     * @param unit of the values
     * @param lowerIsBetter whether lower values are better
     */
    public record Quantity(String group, String what, String unit, boolean lowerIsBetter) {
        /** Less of it is better. */
        public static Quantity less(String group, String what, String unit) {
            return new Quantity(group, what, unit, true);
        }

        /** More of it is better. */
        public static Quantity more(String group, String what, String unit) {
            return new Quantity(group, what, unit, false);
        }
    }

    /** The baseline: values of other contenders are divided by its value of the same round. */
    public Recorder(String baseline) {
        this.baseline = baseline;
    }

    /** Adds a target. */
    public void target(Quantity quantity, FigureTarget target) {
        targets.put(quantity, target);
    }

    /** A value of a round; rounds count from 0. */
    public void value(Quantity quantity, String contender, int round, double value) {
        place(of(figures, quantity).computeIfAbsent(contender, name -> new ArrayList<>()), round, value);
    }

    /** A value of a round at one x of a curve. */
    public void point(Quantity quantity, String contender, double x, int round, double value) {
        TreeMap<Double, List<Double>> points = curves.computeIfAbsent(quantity, name -> new LinkedHashMap<>())
                .computeIfAbsent(contender, name -> new TreeMap<>());
        place(points.computeIfAbsent(x, at -> new ArrayList<>()), round, value);
    }

    /** The values of one contender so far. */
    public Samples samples(Quantity quantity, String contender) {
        return new Samples(figures.getOrDefault(quantity, Map.of()).getOrDefault(contender, List.of()));
    }

    /**
     * The figures so far in the order of their first values, then targets without any value. A target's contender is
     * always part of the figure, so a reader sees that it was not measured.
     */
    public List<Figure> figures() {
        Set<Quantity> quantities = new LinkedHashSet<>(figures.keySet());
        quantities.addAll(targets.keySet());
        List<Figure> all = new ArrayList<>();
        for (Quantity quantity : quantities) {
            Optional<FigureTarget> target = Optional.ofNullable(targets.get(quantity));
            Map<String, Samples> samples = new LinkedHashMap<>();
            figures.getOrDefault(quantity, Map.of())
                    .forEach((contender, values) -> samples.put(contender, new Samples(values)));
            target.ifPresent(goal -> samples.putIfAbsent(goal.contender(), Samples.of()));
            all.add(new Figure(
                    quantity.group(),
                    quantity.what(),
                    quantity.unit(),
                    quantity.lowerIsBetter(),
                    baseline,
                    samples,
                    target));
        }
        return all;
    }

    /** The curves of one kind so far. */
    public List<Curve> curves(Curve.Kind kind) {
        List<Curve> all = new ArrayList<>();
        curves.forEach((quantity, byContender) -> {
            Map<String, List<Point>> points = new LinkedHashMap<>();
            byContender.forEach((contender, values) -> {
                List<Point> ofContender = new ArrayList<>();
                values.forEach((x, samples) -> ofContender.add(new Point(x, new Samples(samples))));
                points.put(contender, ofContender);
            });
            all.add(new Curve(quantity.what(), quantity.group(), quantity.unit(), kind, points));
        });
        return all;
    }

    private static Map<String, List<Double>> of(Map<Quantity, Map<String, List<Double>>> all, Quantity quantity) {
        return all.computeIfAbsent(quantity, name -> new LinkedHashMap<>());
    }

    private static void place(List<Double> values, int round, double value) {
        values.addAll(Collections.nCopies(Math.max(0, round + 1 - values.size()), Double.NaN));
        values.set(round, value);
    }
}
