package dev.nodepath.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A measured quantity, for each contender.
 *
 * @param group the heading of related figures, such as {@code "Bulk, 1 stream"}; empty for none
 * @param what the quantity, such as {@code "CPU time"}
 * @param unit of the values, such as {@code "Gb/s"}
 * @param lowerIsBetter whether lower values are better
 * @param baseline the contender that ratios refer to; empty if ratios are not useful
 * @param byContender the values, in the order of the table
 * @param target the value to reach
 */
public record Figure(
        String group,
        String what,
        String unit,
        boolean lowerIsBetter,
        String baseline,
        Map<String, Samples> byContender,
        Optional<FigureTarget> target) {

    public Figure {
        byContender = OrderedMap.copyOf(byContender);
    }

    /** Group and quantity, which identify this figure in another report. */
    public String title() {
        return group.isEmpty() ? what : group + ": " + what;
    }

    /** A contender's values; no values if it was left out. */
    public Samples samples(String contender) {
        return byContender.getOrDefault(contender, Samples.of());
    }

    /** A contender's values divided by the baseline's of the same rounds; empty without both. */
    public Optional<Samples> ratio(String contender) {
        return contender.equals(baseline) ? Optional.empty() : ratio(contender, baseline);
    }

    /** The ratios of all contenders that have any, for readers of the JSON. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    Map<String, Samples> ratios() {
        Map<String, Samples> ratios = new LinkedHashMap<>();
        byContender
                .keySet()
                .forEach(contender -> ratio(contender).ifPresent(samples -> ratios.put(contender, samples)));
        return ratios;
    }

    private Optional<Samples> ratio(String contender, String against) {
        return Optional.of(samples(contender).over(samples(against)))
                .filter(samples -> !samples.measured().isEmpty());
    }

    /**
     * The value that is compared with the target's limit: the median of the values, or of the ratios; empty without a
     * target.
     */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Optional<Double> reached() {
        return judged().map(Samples::median);
    }

    /** The values that are compared with the target's limit, by round; empty without a target. */
    public Optional<Samples> judged() {
        return target.map(goal -> goal.against()
                .map(against -> samples(goal.contender()).over(samples(against)))
                .orElseGet(() -> samples(goal.contender())));
    }

    /** Whether the target is reached; true without a target, false without a measured value. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public boolean passed() {
        if (target.isEmpty()) {
            return true;
        }
        double value = reached().orElse(Double.NaN);
        return reaches(value);
    }

    private boolean reaches(double value) {
        double limit = target.map(FigureTarget::limit).orElse(Double.NaN);
        return lowerIsBetter ? value <= limit : value >= limit;
    }

    /** Whether the rounds of a contender's ratio lie close enough together for a statement; true for one round. */
    public boolean isSteady(String contender) {
        return ratio(contender).filter(Samples::isOpen).isEmpty();
    }

    /** Whether there is a measured target that is not reached. */
    public boolean missed() {
        return !passed() && !unmeasured() && !undecided();
    }

    /** Whether the target is missed, but its rounds lie far apart and some of them reach it. */
    public boolean undecided() {
        return !passed()
                && judged().filter(samples ->
                                samples.isOpen() && samples.measured().stream().anyMatch(this::reaches))
                        .isPresent();
    }

    /** Whether there is a target that could not be measured. */
    public boolean unmeasured() {
        return !passed() && !Double.isFinite(reached().orElse(Double.NaN));
    }

    /** The widest spread of a contender's values, as a part of its median; NaN with fewer than two rounds. */
    public double widestSpread() {
        return byContender.values().stream()
                .mapToDouble(Samples::spread)
                .filter(Double::isFinite)
                .max()
                .orElse(Double.NaN);
    }
}
