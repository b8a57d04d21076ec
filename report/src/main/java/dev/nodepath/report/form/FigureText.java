package dev.nodepath.report.form;

import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Samples;

/** Parts of a figure in words, common to all forms. */
public final class FigureText {
    private FigureText() {}

    /** The target as text, such as {@code served <= 0.60 x debian}; empty without a target. */
    public static String target(Figure figure) {
        if (figure.target().isEmpty()) {
            return "";
        }
        FigureTarget target = figure.target().get();
        String limit = target.against()
                .map(against -> Numbers.ratio(target.limit()) + " " + against)
                .orElseGet(() -> Numbers.of(target.limit()) + " " + figure.unit());
        return target.contender() + (figure.lowerIsBetter() ? " <= " : " >= ") + limit;
    }

    /**
     * Whether the target was reached, and the reached value, such as {@code missed: 0.71 x}; empty without a target.
     */
    public static String outcome(Figure figure) {
        if (figure.target().isEmpty()) {
            return "";
        }
        if (figure.unmeasured()) {
            return "not measured";
        }
        double reached = figure.reached().orElse(Double.NaN);
        String value = figure.target().get().against().isPresent() ? Numbers.ratio(reached) : Numbers.of(reached);
        String open = "not decided, as its rounds lie far apart: ";
        return (figure.passed() ? "reached: " : figure.undecided() ? open : "missed: ") + value;
    }

    /**
     * A contender's median as a factor of the baseline's, with a question mark if its rounds lie far apart; empty for
     * the baseline itself.
     */
    public static String ratio(Figure figure, String contender) {
        return figure.ratio(contender)
                .map(Samples::median)
                .map(ratio -> Numbers.ratio(ratio) + (figure.isSteady(contender) ? "" : " ?"))
                .orElse("");
    }
}
