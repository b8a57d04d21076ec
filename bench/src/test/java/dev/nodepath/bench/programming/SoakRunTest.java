package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("netns")
@Tag("timing")
@Timeout(900)
class SoakRunTest {
    @Test
    void measuresEachModeWhileSlicesChange() throws Exception {
        SoakRun.Load load = new SoakRun.Load(5, 2, 20, Duration.ofSeconds(1));
        SuiteResult result = new SoakRun(TestPrograms.programs(), TestPrograms.oneRound("none"), load).run();
        assertThat(result.figures())
                .extracting(Figure::what)
                .containsExactly(
                        "from a change until it is in force, p50",
                        "from a change until it is in force, p99",
                        "CPU of the proxy for a change",
                        "resident memory");
        assertThat(result.figures())
                .allSatisfy(figure ->
                        assertThat(figure.byContender()).containsOnlyKeys("userspace", "iptables", "nftables"));
    }
}
