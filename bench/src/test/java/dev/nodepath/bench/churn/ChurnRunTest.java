package dev.nodepath.bench.churn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("netns")
@Timeout(180)
class ChurnRunTest {
    @Test
    void measuresBothModesInQuietAndInChurn() throws Exception {
        SuiteResult result =
                new ChurnRun(TestPrograms.programs(), TestPrograms.oneRound("none"), Duration.ofMillis(700)).run();
        assertThat(result.notes()).noneMatch(note -> note.contains("failed:") || note.contains("Left out"));
        for (String group : new String[] {"Nothing changes", "An endpoint stops and starts, others change"}) {
            Figure requests = figure(result, group + ": requests");
            assertThat(requests.byContender()).containsOnlyKeys("direct", "userspace", "iptables");
            assertThat(requests.byContender().values()).allMatch(samples -> samples.median() > 0);
        }
        // Whoever is on the way: an endpoint that stays answers everything.
        assertThat(figure(result, "An endpoint stops and starts, others change: requests that failed, of 10 000")
                        .samples("direct")
                        .median())
                .isZero();
    }

    private static Figure figure(SuiteResult result, String title) {
        return result.figures().stream()
                .filter(figure -> figure.title().equals(title))
                .findFirst()
                .orElseThrow();
    }
}
