package dev.nodepath.bench.paths;

import dev.nodepath.bench.suite.Recorder;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;

/**
 * The rate of the open loop: the same for all contenders of a round, and a fraction of the slowest contender's rate in
 * that round. With one rate for the whole run, a slower machine would only fill queues. For a contender that failed in
 * a round, its last good round counts.
 */
final class FixedRate {
    private static final double SHARE = 0.6;
    /** The rate before any contender has answered. */
    private static final double OTHERWISE = 1000;

    private final DoubleSummaryStatistics chosen = new DoubleSummaryStatistics();

    /** Chooses the rate of a round by the round's results over kept-alive connections. */
    double choose(Recorder recorder, Collection<String> contenders, int round) {
        double slowest = contenders.stream()
                .map(contender -> recorder.samples(PathMeasures.perSecond(PathMeasures.KEPT_ALIVE), contender)
                        .perRound())
                .mapToDouble(perRound -> last(perRound, round))
                .filter(Double::isFinite)
                .min()
                .orElse(OTHERWISE / SHARE);
        chosen.accept(slowest * SHARE);
        return slowest * SHARE;
    }

    /** The value of a round, or the last before it; NaN without any. */
    private static double last(List<Double> perRound, int round) {
        for (int i = Math.min(round, perRound.size() - 1); i >= 0; i--) {
            if (Double.isFinite(perRound.get(i))) {
                return perRound.get(i);
            }
        }
        return Double.NaN;
    }

    /** The chosen rate, in words. */
    String note() {
        return String.format(
                Locale.ROOT,
                "The fixed rate is %.0f %% of what the slowest contender answered in the same round, the same for all:"
                        + " %.0f to %.0f requests/s. Who gave no figure in it counts with the last round before."
                        + " Each latency counts from when its request was due.",
                SHARE * 100,
                chosen.getMin(),
                chosen.getMax());
    }
}
