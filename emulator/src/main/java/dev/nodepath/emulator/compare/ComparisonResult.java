package dev.nodepath.emulator.compare;

import dev.nodepath.report.Check;
import dev.nodepath.report.ClusterMap;
import dev.nodepath.report.Figure;
import dev.nodepath.report.PathAnswers;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;

/**
 * The result of a comparison.
 *
 * @param seen the answers of each mode and path
 * @param measurements of each mode on each path
 * @param checks expectations and observations
 * @param cluster that was compared
 */
public record ComparisonResult(
        List<ObservedAnswers> seen, Measurements measurements, List<Check> checks, ClusterMap cluster) {
    private static final String NAME = "compare";
    private static final String COMMAND = "scripts/nodepath compare";
    private static final String NOTE =
            "direct: to a pod's address, without a Service. It is measured in the rounds of each mode, in turns."
                    + " Figures are to backends on n1; checks are of connections to backends on both nodes."
                    + " A load in which a request failed gives no figure. Client, servers and proxies share the machine's cores.";

    public ComparisonResult {
        seen = List.copyOf(seen);
        checks = List.copyOf(checks);
    }

    /** The checks that were not met. */
    public List<Check> failures() {
        return checks.stream().filter(check -> !check.met()).toList();
    }

    /** The result as a suite of a report. */
    public SuiteResult toSuite() {
        List<Figure> figures = new ArrayList<>();
        add(figures, "Requests over kept-alive connections", "1/s", false, Measurement::requestsPerSecond);
        add(figures, "A new connection for each request", "1/s", false, Measurement::connectionsPerSecond);
        add(figures, "Bulk, one stream", "Gb/s", false, Measurement::gigabitsPerSecond);
        add(figures, "Median latency of requests", "us", true, Measurement::p50Micros);
        add(figures, "99th percentile of their latency", "us", true, Measurement::p99Micros);
        List<PathAnswers> answers = seen.stream()
                .map(each -> new PathAnswers(each.mode(), each.path(), each.answers(), each.sources()))
                .toList();
        return new SuiteResult(
                NAME,
                verdict(),
                figures,
                List.of(),
                checks,
                List.of(NOTE),
                Map.of(),
                COMMAND,
                Optional.of(answers),
                Optional.of(cluster),
                false);
    }

    private void add(
            List<Figure> figures,
            String group,
            String unit,
            boolean lowerIsBetter,
            ToDoubleFunction<Measurement> figure) {
        for (String path : measurements.paths()) {
            Map<String, Samples> byMode = new LinkedHashMap<>();
            for (String mode : measurements.modes()) {
                byMode.put(mode, measurements.samples(mode, path, figure));
            }
            figures.add(new Figure(group, path, unit, lowerIsBetter, Measurements.BASELINE, byMode, Optional.empty()));
        }
    }

    /** The run in a few sentences. */
    String verdict() {
        StringJoiner sentences = new StringJoiner(" ");
        int failed = failures().size();
        sentences.add(
                failed == 0
                        ? "All " + checks.size() + " expectations were met."
                        : failed + " of " + checks.size() + " expectations were NOT met.");
        for (String mode : measurements.modes()) {
            if (!mode.equals(Measurements.BASELINE)) {
                sentences.add(String.format(
                        Locale.ROOT,
                        "%s reached %s of the direct path's requests, %s of its new connections and %s of its bulk rate (mean"
                                + " over the paths).",
                        mode,
                        mean(mode, Measurement::requestsPerSecond),
                        mean(mode, Measurement::connectionsPerSecond),
                        mean(mode, Measurement::gigabitsPerSecond)));
            }
        }
        return sentences.toString();
    }

    private String mean(String mode, ToDoubleFunction<Measurement> figure) {
        OptionalDouble mean = measurements.paths().stream()
                .filter(path -> measurements.isSteady(mode, path, figure))
                .mapToDouble(path -> measurements.share(mode, path, figure).median())
                .filter(Double::isFinite)
                .average();
        return mean.isPresent() ? String.format(Locale.ROOT, "%.0f %%", mean.getAsDouble() * 100) : "an unknown part";
    }
}
