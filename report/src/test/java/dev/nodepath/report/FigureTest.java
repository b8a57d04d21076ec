package dev.nodepath.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.report.form.FigureText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FigureTest {
    @Test
    void medianIsTheMiddleValueOrTheMeanOfTheMiddleTwo() {
        assertThat(Samples.of(5, 1, 3).median()).isEqualTo(3);
        assertThat(Samples.of(4, 1, 3, 2).median()).isEqualTo(2.5);
        assertThat(Samples.of(2, Double.NaN, 4).median()).isEqualTo(3);
        assertThat(Samples.of().median()).isNaN();
        assertThat(Samples.of(Double.NaN).max()).isNaN();
    }

    @Test
    void spreadIsTheDistanceOfTheOutermostRoundsAsAPartOfTheMedian() {
        assertThat(Samples.of(9, 10, 12).spread()).isEqualTo(0.3);
        assertThat(Samples.of(10).spread()).isNaN();
    }

    @Test
    void ratioIsTheMedianOverRoundsOfTheSameRoundNotTheRatioOfMedians() {
        // Both values doubled in the second round, when the machine was faster: the ratio of each round is the same.
        Figure figure = figure(false, values(Samples.of(10, 20, 10), Samples.of(5, 10, 5)), null);
        assertThat(figure.ratio("ours").orElseThrow().perRound()).containsExactly(0.5, 0.5, 0.5);

        Figure crossed = figure(false, values(Samples.of(10, 20, 40), Samples.of(10, 10, 10)), null);
        assertThat(crossed.ratio("ours").orElseThrow().median()).isEqualTo(0.5);
        assertThat(figure.ratio("theirs")).isEmpty();
        assertThat(figure.ratio("nobody")).isEmpty();
    }

    @Test
    void roundThatFailedForOneCountsForNeither() {
        Figure figure = figure(false, values(Samples.of(10, Double.NaN, 10), Samples.of(5, 100, 7)), null);
        assertThat(figure.ratio("ours").orElseThrow().median()).isEqualTo(0.6, within(1e-9));
        assertThat(Samples.of(1).over(Samples.of(0)).measured()).isEmpty();
    }

    @Test
    void targetIsAnUpperLimitWhereLessIsBetterAndALowerOneOtherwise() {
        Map<String, Samples> values = values(Samples.of(10), Samples.of(6));
        assertThat(figure(true, values, FigureTarget.ratio("ours", "theirs", 0.6))
                        .passed())
                .isTrue();
        assertThat(figure(true, values, FigureTarget.ratio("ours", "theirs", 0.59))
                        .passed())
                .isFalse();
        assertThat(figure(false, values, FigureTarget.ratio("ours", "theirs", 0.6))
                        .passed())
                .isTrue();
        assertThat(figure(false, values, FigureTarget.ratio("ours", "theirs", 0.61))
                        .passed())
                .isFalse();
        assertThat(figure(true, values, FigureTarget.of("ours", 6)).passed()).isTrue();
        assertThat(figure(true, values, FigureTarget.of("ours", 5.9)).passed()).isFalse();
        assertThat(figure(true, values, null).passed()).isTrue();
    }

    @Test
    void whatCouldNotBeMeasuredReachesNoTargetAndMissesNone() {
        Map<String, Samples> values = values(Samples.of(10), Samples.of(Double.NaN));
        assertThat(figure(true, values, FigureTarget.of("ours", 6)).passed()).isFalse();
        assertThat(figure(false, values, FigureTarget.ratio("ours", "theirs", 0.1))
                        .passed())
                .isFalse();
        assertThat(figure(false, values, FigureTarget.of("nobody", 0.1)).passed())
                .isFalse();
        Figure unknown = figure(false, values, FigureTarget.ratio("ours", "theirs", 0.1));
        assertThat(unknown.missed()).isFalse();
        assertThat(FigureText.outcome(unknown)).isEqualTo("not measured");
        assertThat(figure(true, values, FigureTarget.ratio("theirs", "theirs", 0.9))
                        .missed())
                .isTrue();
        assertThat(figure(true, values, null).missed()).isFalse();
    }

    @Test
    void roundsFarApartDecideNothing() {
        FigureTarget target = FigureTarget.ratio("ours", "theirs", 0.6);
        Figure open = figure(false, values(Samples.of(10, 10, 10), Samples.of(3, 5, 7)), target);
        assertThat(open.isSteady("ours")).isFalse();
        assertThat(open.passed()).isFalse();
        assertThat(open.missed()).isFalse();
        assertThat(FigureText.outcome(open)).isEqualTo("not decided, as its rounds lie far apart: 0.50 x");
        assertThat(FigureText.ratio(open, "ours")).isEqualTo("0.50 x ?");

        Figure once = figure(false, values(Samples.of(10, 10, 10, 10, 10), Samples.of(1, 5, 5, 5, 9)), target);
        assertThat(once.isSteady("ours")).as("two rounds met other work").isTrue();
        Figure often = figure(false, values(Samples.of(10, 10, 10, 10, 10), Samples.of(3, 3, 5, 6, 9)), target);
        assertThat(often.isSteady("ours")).isFalse();

        Figure far = figure(false, values(Samples.of(10, 10, 10), Samples.of(3, 4, 5)), target);
        assertThat(far.missed()).as("no round reaches it").isTrue();
        assertThat(FigureText.outcome(far)).isEqualTo("missed: 0.40 x");

        Figure near = figure(false, values(Samples.of(10, 10, 10), Samples.of(5.5, 5.8, 6.5)), target);
        assertThat(near.isSteady("ours")).isTrue();
        assertThat(near.missed()).isTrue();
        assertThat(FigureText.ratio(near, "ours")).isEqualTo("0.58 x");
    }

    @Test
    void refusesMoreThanItsLimit() {
        assertThatThrownBy(() -> new Samples(Collections.nCopies(Samples.ROUNDS_MAX + 1, 1.0)))
                .hasMessage("rounds: 10001 (expected: <= 10000)");
        Curve.Point point = new Curve.Point(1, Samples.of(1));
        assertThatThrownBy(() -> new Curve(
                        "latency",
                        "percentile",
                        "us",
                        Curve.Kind.LATENCY_PERCENTILES,
                        Map.of("ours", Collections.nCopies(Curve.POINTS_MAX + 1, point))))
                .hasMessage("latency, ours: 1001 points (expected: <= 1000)");
    }

    private static Map<String, Samples> values(Samples theirs, Samples ours) {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("theirs", theirs);
        values.put("ours", ours);
        return values;
    }

    private static Figure figure(
            boolean lowerIsBetter,
            Map<String, Samples> values,
            @org.jspecify.annotations.Nullable FigureTarget target) {
        return new Figure("", "ADD", "ms", lowerIsBetter, "theirs", values, Optional.ofNullable(target));
    }
}
