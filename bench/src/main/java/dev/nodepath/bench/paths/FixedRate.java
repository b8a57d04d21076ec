package dev.nodepath.bench.paths;

import dev.nodepath.bench.Recorder;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.Locale;

/**
 * The rate of the requests in open loop: the same for all contenders of a round, and a part of what the slowest of them answered
 * in it. A rate that was kept for the run would measure the queue of every contender as soon as the machine becomes slower.
 */
final class FixedRate {
    private static final double SHARE = 0.6;
    /** For a round in which nobody answered. */
    private static final double OTHERWISE = 1000;

    private final DoubleSummaryStatistics chosen = new DoubleSummaryStatistics();

    /** Chooses for a round, after its requests over kept-alive connections. */
    double choose(Recorder recorder, Collection<String> contenders, int round) {
        double slowest = contenders.stream()
                .map(contender -> recorder.samples(PathMeasures.perSecond(PathMeasures.KEPT_ALIVE), contender)
                        .perRound())
                .filter(perRound -> perRound.size() > round)
                .mapToDouble(perRound -> perRound.get(round))
                .filter(Double::isFinite)
                .min()
                .orElse(OTHERWISE / SHARE);
        chosen.accept(slowest * SHARE);
        return slowest * SHARE;
    }

    /** What was chosen, in words. */
    String note() {
        return String.format(
                Locale.ROOT,
                "The fixed rate is %.0f %% of what the slowest contender answered in the same round, the same for all:"
                        + " %.0f to %.0f requests/s. Each latency counts from when its request was due.",
                SHARE * 100,
                chosen.getMin(),
                chosen.getMax());
    }
}
