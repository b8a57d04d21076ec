package dev.nodepath.report;

import java.util.Optional;

/**
 * What one contender has to reach: at most the limit where less is better, at least the limit otherwise.
 *
 * @param contender who has to reach it
 * @param against whose value of the same round the limit is a factor of; empty for a limit in the figure's unit
 * @param limit the last value that reaches it
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
