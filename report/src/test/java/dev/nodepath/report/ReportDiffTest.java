package dev.nodepath.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.form.DiffText;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportDiffTest {
    @Test
    void changeWithinTheSpreadIsNone() {
        ReportDiff diff = ReportDiff.of(
                report("one", figure("ADD", true, "", Samples.of(10, 11, 12))),
                report("one", figure("ADD", true, "", Samples.of(11.5, 13, 14))));

        assertThat(diff.changes()).hasSize(1);
        assertThat(diff.significant()).isEmpty();
        assertThat(DiffText.render(diff)).isEqualTo("""
                0 of 1 figures changed beyond their spread.
                - Suite cni is unstable in both: rounds lie up to 18 % of the median apart in the first, and 19 % in the second. A
                  difference may be the machine's.
                """);
    }

    @Test
    void changeBeyondTheSpreadIsBetterOrWorseByTheFiguresWay() {
        ReportDiff diff = ReportDiff.of(
                report(
                        "one",
                        figure("ADD", true, "", Samples.of(10, 10, 10)),
                        figure("rate", false, "", Samples.of(100, 100, 101))),
                report(
                        "one",
                        figure("ADD", true, "", Samples.of(12, 12, 12)),
                        figure("rate", false, "", Samples.of(110, 110, 109))));

        assertThat(DiffText.render(diff)).isEqualTo("""
                        first  second   change
                cni: ADD, ms
                  ours   10.0    12.0  +20.0 %  worse
                cni: rate, ms
                  ours    100     110  +10.0 %  better
                2 of 2 figures changed beyond their spread.
                """);
    }

    @Test
    void figuresWithABaselineAreComparedByTheirRatio() {
        // The second machine is half as fast, for both.
        Map<String, Samples> first = values(Samples.of(10, 10), Samples.of(5, 5));
        Map<String, Samples> second = values(Samples.of(20, 20), Samples.of(10, 10));
        ReportDiff diff = ReportDiff.of(
                report("one", new Figure("", "ADD", "ms", true, "theirs", first, Optional.empty())),
                report("one", new Figure("", "ADD", "ms", true, "theirs", second, Optional.empty())));

        assertThat(diff.significant())
                .singleElement()
                .satisfies(change -> assertThat(change.contender()).isEqualTo("theirs"));
    }

    @Test
    void oneRoundIsNoChange() {
        ReportDiff diff = ReportDiff.of(
                report("one", figure("ADD", true, "", Samples.of(10))),
                report("one", figure("ADD", true, "", Samples.of(20, 21, 22))));

        assertThat(diff.significant()).isEmpty();
        assertThat(diff.notes()).containsExactly("1 figures have one round, which has no spread: not compared.");
    }

    @Test
    void saysWhichRunsWereUnstable() {
        Report quiet = report("one", figure("ADD", true, "", Samples.of(10, 10, 10)));
        Report busy = report("one", figure("ADD", true, "", Samples.of(10, 20, 30)));

        assertThat(ReportDiff.of(quiet, quiet).notes()).isEmpty();
        assertThat(ReportDiff.of(quiet, busy).notes())
                .singleElement()
                .asString()
                .startsWith("Suite cni is unstable in the second:");
        assertThat(ReportDiff.of(busy, busy).notes())
                .containsExactly("Suite cni is unstable in both: rounds lie up to 100 % of the median apart in the"
                        + " first, and 100 % in the second. A difference may be the machine's.");
    }

    @Test
    void saysWhatCannotBeCompared() {
        ReportDiff diff = ReportDiff.of(
                report("one", figure("ADD", true, "", Samples.of(1)), figure("DEL", true, "", Samples.of(1))),
                report("two", figure("ADD", true, "", Samples.of(Double.NaN)), figure("GC", true, "", Samples.of(1))));

        assertThat(diff.notes())
                .containsExactly(
                        "kernel: one in the first, two in the second.",
                        "cni, ADD, ours: not measured in the second.",
                        "cni, DEL: in the first only.",
                        "cni, GC: in the second only.");
    }

    private static Map<String, Samples> values(Samples theirs, Samples ours) {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("theirs", theirs);
        values.put("ours", ours);
        return values;
    }

    private static Figure figure(String what, boolean lowerIsBetter, String baseline, Samples samples) {
        return new Figure("", what, "ms", lowerIsBetter, baseline, Map.of("ours", samples), Optional.empty());
    }

    private static Report report(String kernel, Figure... figures) {
        return new Report(
                "bench",
                Instant.EPOCH,
                Duration.ofSeconds(1),
                new Environment(Map.of("kernel", kernel), 2, new Conditions(0, 0, 0, 0, 0)),
                List.of(new SuiteResult(
                        "cni", "Fine.", List.of(figures), List.of(), List.of(), List.of(), Map.of(), "again", false)),
                false,
                "again");
    }
}
