package dev.nodepath.emulator.report;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;

/** A run in a few sentences. */
final class Verdict {
    /** Above this load average per core before the start, others were using the machine. */
    private static final double LOAD_PER_CORE_MAX = 0.5;

    private Verdict() {}

    static String of(CompareReport report) {
        StringJoiner sentences = new StringJoiner(" ");
        int failed = report.failures().size();
        int all = report.expectations().size();
        sentences.add(
                failed == 0
                        ? "All " + all + " expectations were met."
                        : failed + " of " + all + " expectations were NOT met.");
        for (String mode : report.modes()) {
            if (!mode.equals(CompareReport.BASELINE)) {
                sentences.add(shares(report, mode));
            }
        }
        int cores = Runtime.getRuntime().availableProcessors();
        if (report.environment().loadAtStart() > LOAD_PER_CORE_MAX * cores) {
            sentences.add(String.format(
                    Locale.ROOT,
                    "Doubtful: the machine had a load of %.1f before the run.",
                    report.environment().loadAtStart()));
        }
        return sentences.toString();
    }

    private static String shares(CompareReport report, String mode) {
        return String.format(
                Locale.ROOT,
                "%s reached %s of the direct path's requests, %s of its new connections and %s of its bulk rate (mean over the paths).",
                mode,
                mean(report, mode, Measurement::requestsPerSecond),
                mean(report, mode, Measurement::connectionsPerSecond),
                mean(report, mode, Measurement::gigabitsPerSecond));
    }

    private static String mean(CompareReport report, String mode, ToDoubleFunction<Measurement> figure) {
        List<Measurement> ofMode = report.measurements().stream()
                .filter(each -> each.mode().equals(mode))
                .toList();
        OptionalDouble mean = ofMode.stream()
                .flatMap(each -> ResultTable.share(report, each, figure).stream())
                .mapToDouble(Double::doubleValue)
                .average();
        return mean.isPresent() ? String.format(Locale.ROOT, "%.0f %%", mean.getAsDouble() * 100) : "-";
    }
}
