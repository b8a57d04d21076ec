package dev.nodepath.bench.suite;

import dev.nodepath.report.Curve;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.form.Numbers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** A suite's result, with a verdict in words. */
public final class Outcome {
    private static final List<String> MODES = List.of("userspace", "iptables", "nftables");

    private Outcome() {}

    /** The verdict on these figures. */
    public static SuiteResult of(
            String name, List<Figure> figures, List<Curve> curves, List<String> notes, SuiteSettings settings) {
        return new SuiteResult(
                name,
                verdict(figures),
                figures,
                curves,
                List.of(),
                notes,
                Map.of(),
                "scripts/nodepath bench " + name + (settings.quick() ? " --quick" : " --rounds=" + settings.rounds()),
                false);
    }

    /** The number of reached targets, the missed targets with their values, and the unmeasured ones. */
    public static String verdict(List<Figure> figures) {
        List<Figure> judged =
                figures.stream().filter(figure -> figure.target().isPresent()).toList();
        if (judged.isEmpty()) {
            return shares(figures);
        }
        StringJoiner verdict = new StringJoiner("; ", "", ".");
        verdict.add(judged.stream().filter(Figure::passed).count() + " of " + judged.size() + " targets reached");
        String missed =
                judged.stream().filter(Figure::missed).map(Outcome::miss).collect(Collectors.joining("; "));
        if (!missed.isEmpty()) {
            verdict.add("missed: " + missed);
        }
        String open =
                judged.stream().filter(Figure::undecided).map(Outcome::miss).collect(Collectors.joining("; "));
        if (!open.isEmpty()) {
            verdict.add("not decided, as rounds lie far apart: " + open);
        }
        String unknown =
                judged.stream().filter(Figure::unmeasured).map(Figure::title).collect(Collectors.joining("; "));
        if (!unknown.isEmpty()) {
            verdict.add("not measured: " + unknown);
        }
        return verdict.toString();
    }

    /**
     * The verdict of a suite without targets: ratios of Nodepath's modes to the baseline, for figures where more is
     * better.
     */
    private static String shares(List<Figure> figures) {
        String shares = figures.stream()
                .filter(figure -> !figure.lowerIsBetter())
                .map(Outcome::share)
                .filter(share -> !share.isEmpty())
                .collect(Collectors.joining("; "));
        return shares.isEmpty() ? "No targets." : "No targets. " + shares + ".";
    }

    private static String share(Figure figure) {
        String modes = MODES.stream()
                .filter(figure::isSteady)
                .flatMap(mode -> figure.ratio(mode).stream()
                        .map(ratio -> String.format(Locale.ROOT, "%s %.2f x", mode, ratio.median())))
                .collect(Collectors.joining(", "));
        return modes.isEmpty() ? "" : figure.title() + ": " + modes + " " + figure.baseline();
    }

    private static String miss(Figure figure) {
        FigureTarget target = figure.target().orElseThrow();
        return figure.title() + ": " + target.contender() + " "
                + Numbers.of(figure.reached().orElse(Double.NaN))
                + target.against().map(against -> " x " + against).orElse(" " + figure.unit())
                + " (expected: " + (figure.lowerIsBetter() ? "<= " : ">= ") + Numbers.of(target.limit()) + ")";
    }
}
