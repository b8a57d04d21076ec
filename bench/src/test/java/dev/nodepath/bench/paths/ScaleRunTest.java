package dev.nodepath.bench.paths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("netns")
@Tag("timing")
@Timeout(900)
class ScaleRunTest {
    @Test
    void measuresEachModeAtEachSize() throws Exception {
        SuiteResult result =
                new ScaleRun(TestPrograms.programs(), TestPrograms.oneRound("none"), List.of(1, 50), 10, 1).run();
        assertThat(result.notes()).noneMatch(note -> note.contains("failed") || note.contains("Left out"));
        assertThat(result.curves()).hasSize(4);
        for (Curve curve : result.curves()) {
            assertThat(curve.byContender()).containsKeys("userspace", "iptables", "nftables");
            assertThat(curve.byContender().values())
                    .allSatisfy(points ->
                            assertThat(points).extracting(Curve.Point::x).containsExactly(1.0, 50.0))
                    .allSatisfy(points -> assertThat(points).allMatch(point -> point.y() > 0));
        }
        Map<String, Figure> judged = result.figures().stream()
                .filter(figure -> figure.target().isPresent())
                .collect(Collectors.toMap(Figure::title, figure -> figure));
        assertThat(judged)
                .containsOnlyKeys(
                        "50 Services beside 1: new connections of nftables mode",
                        "50 Services beside 1: new connections of nftables mode beside iptables mode");
        assertThat(judged.values()).noneMatch(Figure::unmeasured);
        assertThat(judged.values())
                .allSatisfy(figure -> assertThat(figure.byContender()).containsKey("nftables with 50"));
    }
}
