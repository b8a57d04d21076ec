package dev.nodepath.report;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The costs of a mode besides lost throughput: processor time, latency and memory. */
final class Costs {
    private static final Pattern P99 = Pattern.compile("\\bp99(?![.\\d])|99th percentile");

    private final SuiteResult suite;
    private final String mode;

    Costs(SuiteResult suite, String mode) {
        this.suite = suite;
        this.mode = mode;
    }

    /** A sentence for each kind of cost; empty if the suite did not measure it beside the direct path. */
    String sentence() {
        StringJoiner sentences = new StringJoiner(" ");
        range(title -> title.contains("CPU") && !title.contains("proxy's processes"))
                .ifPresent(range -> sentences.add("It takes " + range + " the processor time for the same work."));
        range(title -> P99.matcher(title).find())
                .ifPresent(range -> sentences.add("Its p99 latency is " + range + " the direct path's."));
        memory().ifPresent(memory -> sentences.add("Its process has " + memory + " of memory."));
        return sentences.toString();
    }

    /** The smallest and the largest factor of the direct path; empty without any. */
    private Optional<String> range(Predicate<String> title) {
        List<Double> factors = suite.figures().stream()
                .filter(figure -> figure.lowerIsBetter()
                        && figure.baseline().equals(Findings.BASELINE)
                        && title.test(figure.title()))
                .flatMap(figure -> figure.ratio(mode).stream())
                .map(Samples::median)
                .sorted()
                .toList();
        if (factors.isEmpty()) {
            return Optional.empty();
        }
        double least = factors.get(0);
        double most = factors.get(factors.size() - 1);
        return Optional.of(least == most ? format("%.2f x", least) : format("%.2f to %.2f x", least, most));
    }

    private Optional<String> memory() {
        return suite.figures().stream()
                .filter(figure -> figure.what().startsWith("resident memory"))
                .filter(figure -> !figure.samples(mode).measured().isEmpty())
                .map(figure -> format("%.0f ", figure.samples(mode).median()) + figure.unit())
                .findFirst();
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
