package dev.nodepath.emulator.compare;

import static dev.nodepath.report.form.TextTable.numbers;
import static dev.nodepath.report.form.TextTable.words;

import dev.nodepath.report.Doubts;
import dev.nodepath.report.form.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The tables of a comparison: the answering pods, and the figures. Each rate has its share of the direct path beside it.
 */
public final class ResultTable {
    /** Notes on how to read the table. */
    public static final String NOTE =
            "Each figure is the median of " + LoadMeasurement.ROUNDS + " rounds, to backends on n1."
                    + " A round in which a request failed does not count."
                    + " \"direct\" is the direct path in the same rounds, and \"share\" the median of the rounds' ratios to it."
                    + " A share with ? is of rounds that lie more than "
                    + Math.round(Doubts.RATIO_SPREAD_MAX * 100) + " % apart: read nothing from it."
                    + " \"conn/s\" are requests with a new connection each."
                    + " \"userspace, kept\" is userspace mode with --keep-client-address, whose speed is not measured."
                    + " \"answered by\" and \"source seen\" come from 60 connections to backends on both nodes.";

    private ResultTable() {}

    /** The answering pods and the sources that they saw: a row for each path and mode. */
    public static TextTable answers(ComparisonResult result) {
        TextTable table =
                new TextTable(List.of(words("path"), words("mode"), words("answered by"), words("source seen")));
        rows(
                result,
                seen -> table.add(List.of(seen.path(), seen.mode(), counts(seen.answers()), counts(seen.sources()))));
        return table;
    }

    /** The figures: a row for each path and mode that was measured. */
    public static TextTable figures(ComparisonResult result) {
        TextTable table = new TextTable(List.of(
                words("path"),
                words("mode"),
                numbers("req/s"),
                numbers("direct"),
                numbers("share"),
                numbers("p50 us"),
                numbers("p99 us"),
                numbers("conn/s"),
                numbers("direct"),
                numbers("share"),
                numbers("Gb/s"),
                numbers("direct"),
                numbers("share")));
        List<String> measured = result.measurements().modes();
        rows(result, seen -> {
            if (measured.contains(seen.mode())) {
                table.add(row(result.measurements(), seen));
            }
        });
        return table;
    }

    /** Ordered by path, so that the modes of a path are next to each other. */
    private static void rows(ComparisonResult result, Consumer<ObservedAnswers> row) {
        for (String path : result.measurements().paths()) {
            result.seen().stream().filter(seen -> seen.path().equals(path)).forEach(row);
        }
    }

    private static List<String> row(Measurements measurements, ObservedAnswers seen) {
        return List.of(
                seen.path(),
                seen.mode(),
                median("%,.0f", measurements, seen, Measurement::requestsPerSecond),
                direct("%,.0f", measurements, seen, Measurement::requestsPerSecond),
                share(measurements, seen, Measurement::requestsPerSecond),
                median("%,.0f", measurements, seen, Measurement::p50Micros),
                median("%,.0f", measurements, seen, Measurement::p99Micros),
                median("%,.0f", measurements, seen, Measurement::connectionsPerSecond),
                direct("%,.0f", measurements, seen, Measurement::connectionsPerSecond),
                share(measurements, seen, Measurement::connectionsPerSecond),
                median("%.1f", measurements, seen, Measurement::gigabitsPerSecond),
                direct("%.1f", measurements, seen, Measurement::gigabitsPerSecond),
                share(measurements, seen, Measurement::gigabitsPerSecond));
    }

    private static String median(
            String format, Measurements measurements, ObservedAnswers seen, ToDoubleFunction<Measurement> figure) {
        return number(
                format, measurements.samples(seen.mode(), seen.path(), figure).median());
    }

    private static String share(Measurements measurements, ObservedAnswers seen, ToDoubleFunction<Measurement> figure) {
        String share = number(
                "%.2f", measurements.share(seen.mode(), seen.path(), figure).median());
        return measurements.isSteady(seen.mode(), seen.path(), figure) ? share : share + " ?";
    }

    /** The direct path's figure, in the rounds of a share. */
    private static String direct(
            String format, Measurements measurements, ObservedAnswers seen, ToDoubleFunction<Measurement> figure) {
        return seen.mode().equals(Measurements.BASELINE)
                ? ""
                : number(
                        format,
                        measurements.beside(seen.mode(), seen.path(), figure).median());
    }

    private static String number(String format, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "-";
    }

    private static String counts(SortedMap<String, Integer> counts) {
        return counts.entrySet().stream().map(ResultTable::count).collect(Collectors.joining(", "));
    }

    private static String count(Map.Entry<String, Integer> entry) {
        return entry.getKey() + " x" + entry.getValue();
    }
}
