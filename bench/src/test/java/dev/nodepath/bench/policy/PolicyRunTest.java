package dev.nodepath.bench.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("netns")
@Tag("timing")
@Timeout(900)
class PolicyRunTest {
    private static final Path PLUGIN = Path.of(
                    System.getProperty("nodepath.home", ".."), "target", "bin", "nodepath-bridge")
            .toAbsolutePath();

    @Test
    void measuresAllThatHasATargetAndEveryAddSucceeds() throws Exception {
        PolicySizes small =
                new PolicySizes(4, 1, 2, 1, new PolicedCluster.Size(30, 10), new PolicedCluster.Size(200, 20));
        SuiteResult result = new PolicyRun(TestPrograms.programs(), PLUGIN, TestPrograms.oneRound("none"), small).run();
        assertThat(result.notes()).noneMatch(note -> note.contains("failed:"));
        assertThat(result.figures()).noneMatch(Figure::unmeasured);
        assertThat(result.figures().stream().filter(figure -> figure.what().endsWith("how many failed")))
                .singleElement()
                .satisfies(figure ->
                        assertThat(figure.samples(PolicyRun.WITH).median()).isZero());
    }
}
