package dev.nodepath.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DoubtsTest {
    private static final Conditions QUIET = new Conditions(0.3, 0.05, 0, 0, 0);
    private static final Samples STEADY = Samples.of(100, 101, 102, 103, 104);

    @Test
    void quietMachineAndSteadyRoundsGiveNone() {
        assertThat(doubts(QUIET, 2, false, STEADY)).isEmpty();
        Conditions unknown = new Conditions(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        assertThat(doubts(unknown, 2, false, STEADY)).isEmpty();
    }

    @Test
    void eachConditionIsSaidInPlainWords() {
        assertThat(doubts(new Conditions(5.1, 1.6, 0, 0, 0), 2, false, STEADY))
                .containsExactly("Other programs were running: before the start they used 1.6 of 2 cores, and the load"
                        + " average was 5.1.");
        assertThat(doubts(new Conditions(0, 0, 0.07, 0, 0), 2, false, STEADY))
                .containsExactly(
                        "The machine is virtual, and its host took 7 % of the processor time away during the run.");
        assertThat(doubts(new Conditions(0, 0, 0, 12, 0), 2, false, STEADY))
                .containsExactly("The run was throttled: its control group was kept off the cores for 12.0 s.");
        assertThat(doubts(new Conditions(0, 0, 0, 0, 3), 2, false, STEADY))
                .containsExactly("The processor slowed down 3 times because of its temperature or power.");
        assertThat(doubts(QUIET, 1, false, STEADY)).singleElement().asString().startsWith("The machine has one core");
        assertThat(doubts(QUIET, 2, true, STEADY))
                .singleElement()
                .asString()
                .startsWith("This run did not come to its end");
    }

    @Test
    void aLoadThatNobodyMakesJustNowIsOneOfTheMinuteBefore() {
        assertThat(doubts(new Conditions(8.7, 0.04, 0, 0, 0), 2, false, STEADY))
                .containsExactly(
                        "The load average at the start was 8.7, with 2 cores: in the minute before, more programs"
                                + " wanted to run or waited for a disk than there are cores.");
        assertThat(doubts(new Conditions(1.9, 0.04, 0, 0, 0), 2, false, STEADY)).isEmpty();
        assertThat(doubts(new Conditions(5.1, 0.06, 0, 0, 0), 2, false, STEADY))
                .containsExactly("Other programs were running: before the start they used 0.1 of 2 cores, and the load"
                        + " average was 5.1.");
    }

    @Test
    void wideSpreadAndFewRoundsAreNamed() {
        assertThat(doubts(QUIET, 2, false, Samples.of(100, 101, 102, 103, 113)))
                .containsExactly(
                        "Suite cni is unstable: in 1 of 1 figures a contender's rounds lie more than 10 % of the"
                                + " median apart, most in ADD (13 %).");
        assertThat(doubts(QUIET, 2, false, Samples.of(100)))
                .containsExactly("Suite cni has one round: how far its figures would spread is not known.");
        assertThat(doubts(QUIET, 2, false, Samples.of(100, 101, 102)))
                .containsExactly("Suite cni has 3 rounds: at least 5 are needed to say how far its figures spread.");
    }

    @Test
    void suiteThatFailedIsNamed() {
        Report report = report(QUIET, 2, false, List.of(SuiteResult.nothing("churn", "FAILED: x.", "again")));
        assertThat(Doubts.of(report)).singleElement().asString().startsWith("Suite churn did not come to its end");
    }

    private static List<String> doubts(Conditions conditions, int cores, boolean partial, Samples samples) {
        Figure figure = new Figure("", "ADD", "ms", true, "", Map.of("ours", samples), Optional.empty());
        return Doubts.of(report(
                conditions,
                cores,
                partial,
                List.of(new SuiteResult(
                        "cni", "Fine.", List.of(figure), List.of(), List.of(), List.of(), Map.of(), "again", false))));
    }

    private static Report report(Conditions conditions, int cores, boolean partial, List<SuiteResult> suites) {
        return new Report(
                "bench",
                Instant.EPOCH,
                Duration.ofMinutes(10),
                new Environment(Map.of(), cores, conditions),
                suites,
                partial,
                "again");
    }
}
