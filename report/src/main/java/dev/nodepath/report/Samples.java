package dev.nodepath.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The values of a quantity, one for each round. The index is the round, so that values of the same round can be
 * compared.
 *
 * @param perRound in the order of the rounds, at most {@value #ROUNDS_MAX}; NaN for a round without one
 */
public record Samples(List<Double> perRound) {
    /** The limit of rounds; more are an error of the caller. */
    public static final int ROUNDS_MAX = 10_000;

    public Samples {
        if (perRound.size() > ROUNDS_MAX) {
            throw new IllegalArgumentException("rounds: " + perRound.size() + " (expected: <= " + ROUNDS_MAX + ")");
        }
        perRound = List.copyOf(perRound);
    }

    /** Samples of the given values, one for each round. */
    public static Samples of(double... values) {
        List<Double> list = new ArrayList<>();
        for (double value : values) {
            list.add(value);
        }
        return new Samples(list);
    }

    /** The values that are numbers, smallest first. */
    public List<Double> measured() {
        List<Double> sorted = new ArrayList<>(perRound);
        sorted.removeIf(value -> !Double.isFinite(value));
        Collections.sort(sorted);
        return sorted;
    }

    /** The middle value; of an even number the mean of the middle two; NaN without values. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double median() {
        List<Double> sorted = measured();
        int count = sorted.size();
        return count == 0 ? Double.NaN : (sorted.get((count - 1) / 2) + sorted.get(count / 2)) / 2;
    }

    /** The smallest value; NaN without values. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double min() {
        List<Double> sorted = measured();
        return sorted.isEmpty() ? Double.NaN : sorted.get(0);
    }

    /** The largest value; NaN without values. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double max() {
        List<Double> sorted = measured();
        return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() - 1);
    }

    /** The spread: largest minus smallest, as a fraction of the median; NaN with fewer than two values. */
    public double spread() {
        return measured().size() < 2 ? Double.NaN : (max() - min()) / Math.abs(median());
    }

    /**
     * The spread without the smallest and the largest of five rounds or more, as other work of the machine may have
     * disturbed one of them; NaN with fewer than two values.
     */
    double middleSpread() {
        List<Double> sorted = measured();
        return sorted.size() < Doubts.ROUNDS_MIN
                ? spread()
                : (sorted.get(sorted.size() - 2) - sorted.get(1)) / Math.abs(median());
    }

    /** Whether the rounds lie so far apart that their median has no meaning. */
    public boolean isOpen() {
        return middleSpread() > Doubts.RATIO_SPREAD_MAX;
    }

    /** Divides each value by the baseline's value of the same round. The result ends with the shorter of both. */
    public Samples over(Samples baseline) {
        List<Double> ratios = new ArrayList<>();
        int rounds = Math.min(perRound.size(), baseline.perRound.size());
        for (int i = 0; i < rounds; i++) {
            double divisor = baseline.perRound.get(i);
            ratios.add(divisor == 0 ? Double.NaN : perRound.get(i) / divisor);
        }
        return new Samples(ratios);
    }
}
