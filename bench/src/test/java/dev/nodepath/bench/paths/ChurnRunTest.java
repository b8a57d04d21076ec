package dev.nodepath.bench.paths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.Lineup;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("netns")
@Tag("timing")
@Timeout(900)
class ChurnRunTest {
    @Test
    void measuresEachModeInQuietAndInChurn() throws Exception {
        SuiteResult result =
                new ChurnRun(TestPrograms.programs(), TestPrograms.oneRound("none"), Duration.ofMillis(700)).run();
        assertThat(result.notes()).noneMatch(note -> note.contains("failed:") || note.contains("Left out"));
        for (String group : new String[] {"Nothing changes", "An endpoint stops and starts, others change"}) {
            Figure requests = figure(result, group + ": requests");
            assertThat(requests.byContender()).containsOnlyKeys("direct", "userspace", "iptables", "nftables");
            assertThat(requests.byContender().values()).allMatch(samples -> samples.median() > 0);
        }
        // For every contender: a permanent endpoint answers everything.
        assertThat(figure(result, "An endpoint stops and starts, others change: requests that failed, of 10 000")
                        .samples("direct")
                        .median())
                .isZero();
    }

    @Test
    void anEndpointThatHasStoppedRefusesAndOneThatHasStartedAnswers() throws Exception {
        try (Lineup lineup =
                new Lineup(new KernelLinuxNet(), "f-", List.of(Contender.DIRECT), TestPrograms.programs())) {
            RunningContender direct = lineup.live().get(0);
            for (int i = 0; i < 2; i++) {
                try (Flapping flapping = new Flapping(direct)) {
                    flapping.cycle();
                    assertThat(flapping.changes()).isPositive();
                    assertThat(ask(direct, ContenderNode.SECOND_SERVER)).isEqualTo(Greeting.Outcome.ANSWERED);
                }
                assertThat(ask(direct, ContenderNode.SERVER)).isEqualTo(Greeting.Outcome.REFUSED);
                assertThat(ask(direct, ContenderNode.SECOND_SERVER)).isEqualTo(Greeting.Outcome.REFUSED);
            }
        }
    }

    private static Greeting.Outcome ask(RunningContender contender, String address) throws Exception {
        return contender
                .lane()
                .client()
                .call(() -> Greeting.ask(ContenderAddress.at(address, Flapping.PORT), Duration.ofSeconds(10)))
                .outcome();
    }

    private static Figure figure(SuiteResult result, String title) {
        return result.figures().stream()
                .filter(figure -> figure.title().equals(title))
                .findFirst()
                .orElseThrow();
    }
}
