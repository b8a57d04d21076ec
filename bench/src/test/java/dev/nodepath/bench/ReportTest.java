package dev.nodepath.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.Figure.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    private static final Figure KEPT =
            new Figure("ADD", "ms", values(3.456, 10), Optional.of(new Target("ours", Optional.of("theirs"), 0.6)));
    private static final Figure MISSED =
            new Figure("RSS", "MB", Map.of("ours", 123.4), Optional.of(new Target("ours", Optional.empty(), 80)));
    private static final Figure FAILED =
            new Figure("DEL", "ms", values(Double.NaN, 5), Optional.of(new Target("ours", Optional.of("theirs"), 0.8)));
    private static final Figure ASIDE = new Figure("note", "ms", Map.of("theirs", 1.0), Optional.empty());

    @TempDir
    Path directory;

    @Test
    void printsALineForEachFigureAndNamesWhatIsMissed() {
        assertThat(Report.table(List.of(KEPT, MISSED, FAILED, ASIDE))).isEqualTo("""
                              unit  ours    theirs  reached  target
                        ADD   ms    3.46    10.0    0.35     ours <= 0.60 x theirs
                        RSS   MB    123.4           123.4    ours <= 80.0           missed
                        DEL   ms    failed  5.00    failed   ours <= 0.80 x theirs  missed
                        note  ms            1.00
                        """);
    }

    @Test
    void writesTheSameAsJson() throws Exception {
        Path file = directory.resolve("report.json");
        Report.writeJson(file, Map.of("cni", List.of(KEPT, FAILED)));
        assertThat(Files.readString(file))
                .contains("\"cni\" : [ {", "\"ours\" : 3.456", "\"target\" : \"ours <= 0.60 x theirs\"")
                .contains("\"passed\" : true", "\"passed\" : false", "\"reached\" : \"NaN\"");
    }

    private static Map<String, Double> values(double ours, double theirs) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("ours", ours);
        values.put("theirs", theirs);
        return values;
    }
}
