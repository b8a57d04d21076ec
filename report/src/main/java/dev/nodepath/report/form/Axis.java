package dev.nodepath.report.form;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.function.DoubleUnaryOperator;

/** An axis of a chart: the positions of values and the labelled values. */
final class Axis {
    /** The limit of labels. */
    private static final int TICKS_MAX = 7;

    private final DoubleUnaryOperator transform;
    private final List<Double> ticks;
    private final double low;
    private final double high;
    private final double start;
    private final double end;

    private Axis(DoubleUnaryOperator transform, List<Double> ticks, double low, double high, double start, double end) {
        this.transform = transform;
        this.ticks = ticks;
        this.low = transform.applyAsDouble(low);
        this.high = transform.applyAsDouble(high);
        this.start = start;
        this.end = end;
    }

    /**
     * A logarithmic axis for values above 0, with labels at 1, 2 and 5 of each power of ten, or only at the powers.
     */
    static Axis logarithmic(double low, double high, double start, double end) {
        double from = low;
        double to = high > low ? high : low * 2;
        List<Double> ticks = steps(from, to, new double[] {1, 2, 5});
        if (ticks.size() > TICKS_MAX) {
            ticks = steps(from, to, new double[] {1});
        }
        while (ticks.size() > TICKS_MAX) {
            ticks = everyOther(ticks);
        }
        return new Axis(Math::log10, ticks, from, to, start, end);
    }

    /** A logarithmic axis with labels at the values, as far as there is room. */
    static Axis logarithmicAt(SortedSet<Double> places, double start, double end) {
        double high = places.last() > places.first() ? places.last() : places.first() * 2;
        List<Double> ticks = new ArrayList<>(places);
        while (ticks.size() > TICKS_MAX) {
            ticks = everyOther(ticks);
        }
        return new Axis(Math::log10, ticks, places.first(), high, start, end);
    }

    /** An axis for percentiles, with equal distances between 90, 99, 99.9 and so on. */
    static Axis percentiles(double highest, double start, double end) {
        List<Double> ticks = new ArrayList<>(List.of(50.0));
        for (double rest = 10; 100 - rest <= highest + 1e-9 && ticks.size() < TICKS_MAX; rest /= 10) {
            ticks.add(100 - rest);
        }
        return new Axis(percentile -> -Math.log10(1 - percentile / 100), ticks, 0, Math.max(50, highest), start, end);
    }

    private static List<Double> steps(double from, double to, double[] steps) {
        List<Double> ticks = new ArrayList<>();
        for (int power = (int) Math.floor(Math.log10(from)); power <= Math.log10(to) + 1; power++) {
            for (double step : steps) {
                double value = step * Math.pow(10, power);
                if (value >= from * 0.999 && value <= to * 1.001) {
                    ticks.add(value);
                }
            }
        }
        return ticks;
    }

    private static List<Double> everyOther(List<Double> ticks) {
        List<Double> fewer = new ArrayList<>();
        for (int i = 0; i < ticks.size(); i += 2) {
            fewer.add(ticks.get(i));
        }
        return fewer;
    }

    /** The labelled values. */
    List<Double> ticks() {
        return ticks;
    }

    /** A value's place. */
    double at(double value) {
        return start + (transform.applyAsDouble(value) - low) / (high - low) * (end - start);
    }

    /** A tick's label, without needless zeros. */
    static String name(double tick) {
        if (tick >= 1000 || tick == Math.rint(tick)) {
            return Html.format("%,.0f", tick);
        }
        return tick < 100 && tick > 99 ? Html.format("%.4f", tick).replaceAll("0+$", "") : strip(Numbers.of(tick));
    }

    private static String strip(String number) {
        return number.contains(".") ? number.replaceAll("0+$", "").replaceAll("\\.$", "") : number;
    }
}
