package dev.nodepath.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What was measured of one thing, for each contender.
 *
 * @param what the thing
 * @param unit of the values
 * @param values by contender, in the order of the table; one that could not do it has NaN
 * @param target what is to be reached
 */
public record Figure(String what, String unit, Map<String, Double> values, Optional<Target> target) {

    /**
     * A limit for one contender.
     *
     * @param contender who has to keep it
     * @param baseline whose value the limit is a factor of; empty for a limit in the figure's unit
     * @param limit the largest value that keeps it
     */
    public record Target(String contender, Optional<String> baseline, double limit) {}

    /** Keeps the order of the contenders. */
    public Figure {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** What is held against the target's limit: a ratio or a value; empty without a target. */
    public Optional<Double> reached() {
        return target.map(goal -> value(goal.contender())
                / (goal.baseline().isPresent() ? value(goal.baseline().get()) : 1));
    }

    /** Whether the target is kept; what could not be measured keeps none. */
    public boolean passed() {
        return target.isEmpty() || reached().orElse(Double.NaN) <= target.get().limit();
    }

    private double value(String contender) {
        return values.getOrDefault(contender, Double.NaN);
    }
}
