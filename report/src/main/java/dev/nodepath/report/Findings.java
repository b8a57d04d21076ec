package dev.nodepath.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The findings of a run: a sentence for each of the node's modes, from the ratios of the run itself. */
public final class Findings {
    /** The contender that modes are compared with. */
    static final String BASELINE = "direct";

    private static final List<String> MODES = List.of("userspace", "iptables", "nftables");

    /**
     * The range of a mode's throughput, and its costs.
     *
     * @param mode of the node
     * @param suite the suite of the figures
     * @param least the smallest factor of the baseline
     * @param most the largest factor of the baseline
     * @param costs sentences; empty if they were not measured
     */
    public record Finding(String mode, String suite, Part least, Part most, String costs) {
        /** The sentence about its throughput. */
        public String text() {
            String where = least.figure().baseline();
            return least.equals(most)
                    ? String.format(Locale.ROOT, "carries %.2f of the %s path's %s.", most.factor(), where, most.name())
                    : String.format(
                            Locale.ROOT,
                            "carries %.2f (%s) to %.2f (%s) of the %s path's load.",
                            least.factor(),
                            least.name(),
                            most.factor(),
                            most.name(),
                            where);
        }
    }

    /** A figure, and a mode's factor of its baseline. */
    public record Part(Figure figure, double factor) {
        private String name() {
            return figure.title();
        }
    }

    private Findings() {}

    /** A finding for each mode, from the first suite that measured it beside a direct path. */
    public static List<Finding> of(Report report) {
        List<Finding> findings = new ArrayList<>();
        for (String mode : MODES) {
            report.suites().stream()
                    .flatMap(suite -> of(suite, mode).stream())
                    .findFirst()
                    .ifPresent(findings::add);
        }
        return findings;
    }

    private static Optional<Finding> of(SuiteResult suite, String mode) {
        List<Part> parts = new ArrayList<>();
        for (Figure figure : suite.figures()) {
            if (!figure.lowerIsBetter() && figure.baseline().equals(BASELINE) && figure.isSteady(mode)) {
                figure.ratio(mode).ifPresent(ratio -> parts.add(new Part(figure, ratio.median())));
            }
        }
        Comparator<Part> byFactor = Comparator.comparingDouble(Part::factor);
        return parts.stream()
                .min(byFactor)
                .map(least -> new Finding(
                        mode,
                        suite.name(),
                        least,
                        parts.stream().max(byFactor).orElse(least),
                        new Costs(suite, mode).sentence()));
    }
}
