package dev.nodepath.bench;

import dev.nodepath.report.Curve;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.Target;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a suite has found, with a verdict in words. */
public final class Outcome {
    private Outcome() {}

    /** Of these figures, all that were to be measured. */
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

    /** How many targets are reached, and by how much the others are missed. */
    static String verdict(List<Figure> figures) {
        List<Figure> judged =
                figures.stream().filter(figure -> figure.target().isPresent()).toList();
        List<Figure> missed = judged.stream().filter(figure -> !figure.passed()).toList();
        if (judged.isEmpty()) {
            return "No targets; see the ratios.";
        }
        String reached = (judged.size() - missed.size()) + " of " + judged.size() + " targets reached";
        return missed.isEmpty()
                ? reached + "."
                : reached + "; missed: " + missed.stream().map(Outcome::miss).collect(Collectors.joining("; ")) + ".";
    }

    private static String miss(Figure figure) {
        Target target = figure.target().orElseThrow();
        return String.format(
                Locale.ROOT,
                "%s: %s %.3g%s (expected: %s %.3g)",
                figure.title(),
                target.contender(),
                figure.reached().orElse(Double.NaN),
                target.against().map(against -> " x " + against).orElse(" " + figure.unit()),
                figure.lowerIsBetter() ? "<=" : ">=",
                target.limit());
    }
}
