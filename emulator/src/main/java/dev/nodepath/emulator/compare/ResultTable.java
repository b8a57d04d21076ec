package dev.nodepath.emulator.compare;

import static dev.nodepath.report.text.TextTable.numbers;
import static dev.nodepath.report.text.TextTable.words;

import dev.nodepath.report.text.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The table of a comparison: a row a path and mode, each figure beside its share of the direct path of the same run. */
public final class ResultTable {
    /** What a reader of the table has to know. */
    public static final String NOTE =
            "\"share\" is the figure divided by the direct path's in the same run. Who answered, and the"
                    + " source address that it saw, is of 60 connections to backends on both nodes; the figures are to backends on n1.";

    private static final List<TextTable.Column> COLUMNS = List.of(
            words("path"),
            words("mode"),
            words("answered by"),
            words("source seen"),
            numbers("req/s"),
            numbers("share"),
            numbers("p50 us"),
            numbers("p99 us"),
            numbers("new conn/s"),
            numbers("share"),
            numbers("Gb/s"),
            numbers("share"));

    private ResultTable() {}

    /** The table, ordered by path so that modes stand side by side. */
    public static TextTable of(Measurements measurements) {
        TextTable table = new TextTable(COLUMNS);
        for (String path : measurements.paths()) {
            for (String mode : measurements.modes()) {
                measurements.of(mode, path).ifPresent(each -> table.add(row(measurements, each)));
            }
        }
        return table;
    }

    private static List<String> row(Measurements measurements, Measurement measurement) {
        return List.of(
                measurement.path(),
                measurement.mode(),
                counts(measurement.answers()),
                counts(measurement.sources()),
                whole(measurement.requestsPerSecond()),
                share(measurements, measurement, Measurement::requestsPerSecond),
                whole(measurement.p50Micros()),
                whole(measurement.p99Micros()),
                whole(measurement.connectionsPerSecond()),
                share(measurements, measurement, Measurement::connectionsPerSecond),
                String.format(Locale.ROOT, "%.1f", measurement.gigabitsPerSecond()),
                share(measurements, measurement, Measurement::gigabitsPerSecond));
    }

    private static String share(
            Measurements measurements, Measurement measurement, ToDoubleFunction<Measurement> figure) {
        return measurements
                .share(measurement, figure)
                .map(share -> String.format(Locale.ROOT, "%.2f", share))
                .orElse("-");
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String counts(SortedMap<String, Integer> counts) {
        return counts.entrySet().stream().map(ResultTable::count).collect(Collectors.joining(", "));
    }

    private static String count(Map.Entry<String, Integer> entry) {
        return entry.getKey() + " x" + entry.getValue();
    }
}
