package dev.nodepath.report;

import java.util.Optional;

/**
 * A target of one contender: at most the limit if lower values are better, else at least the limit.
 *
 * @param contender the contender that has to reach it
 * @param against the contender whose value is multiplied by the limit; empty for a limit in the figure's unit
 * @param limit the bound; a value equal to it reaches the target
 */
public record FigureTarget(String contender, Optional<String> against, double limit) {
    /** A limit in the figure's unit. */
    public static FigureTarget of(String contender, double limit) {
        return new FigureTarget(contender, Optional.empty(), limit);
    }

    /** A limit as a factor of another contender's value. */
    public static FigureTarget ratio(String contender, String against, double limit) {
        return new FigureTarget(contender, Optional.of(against), limit);
    }
}
