package dev.nodepath.emulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ReportTest {
    private static final CompareReport REPORT = new CompareReport(
            Instant.parse("2026-11-20T10:00:00Z"),
            Duration.ofSeconds(42),
            new Environment(Map.of("kernel", "Linux <6>"), 0.1),
            List.of(
                    measurement("direct", "pod, same node", 100_000, 15),
                    measurement("userspace", "pod, same node", 50_000, 9),
                    measurement("direct", "node itself", 80_000, 12),
                    measurement("userspace", "node itself", 60_000, 6)),
            List.of(
                    new Expectation("userspace", "every backend answers", true, "web-1"),
                    new Expectation("userspace", "a < b & \"c\"", false, "d")));

    @Test
    void tableShowsModesSideBySideWithTheirShareOfTheDirectPath() {
        assertThat(ResultTable.of(REPORT).toText()).isEqualTo("""
                path            mode       answered by         source seen      req/s  share  p50 us  p99 us  new conn/s  share  Gb/s  share
                pod, same node  direct     web-1 x2, web-2 x1  10.244.1.4 x3  100,000   1.00     200     900      10,000   1.00  15.0   1.00
                pod, same node  userspace  web-1 x2, web-2 x1  10.244.1.4 x3   50,000   0.50     200     900      10,000   1.00   9.0   0.60
                node itself     direct     web-1 x2, web-2 x1  10.244.1.4 x3   80,000   1.00     200     900      10,000   1.00  12.0   1.00
                node itself     userspace  web-1 x2, web-2 x1  10.244.1.4 x3   60,000   0.75     200     900      10,000   1.00   6.0   0.50
                """);
    }

    @Test
    void verdictNamesFailuresAndMeanShares() {
        assertThat(Verdict.of(REPORT))
                .startsWith("1 of 2 expectations were NOT met.")
                .contains("userspace reached 63 % of the direct path's requests")
                .contains("55 % of its bulk rate");
    }

    @Test
    void markdownNamesEachExpectation() {
        assertThat(MarkdownReport.render(REPORT))
                .contains("- ok: userspace: every backend answers (web-1)")
                .contains("- **FAILED**: userspace: a < b & \"c\" (d)")
                .contains("| pod, same node | userspace |");
    }

    @Test
    void jsonHoldsEveryFigure() throws IOException {
        List<Double> requests = new ArrayList<>();
        int schema = 0;
        try (JsonParser parser = new JsonFactory().createParser(JsonReport.render(REPORT))) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isNumeric() && "requestsPerSecond".equals(parser.currentName())) {
                    requests.add(parser.getDoubleValue());
                } else if (token.isNumeric() && "schemaVersion".equals(parser.currentName())) {
                    schema = parser.getIntValue();
                }
            }
        }
        assertThat(requests).containsExactly(100_000.0, 50_000.0, 80_000.0, 60_000.0);
        assertThat(schema).isEqualTo(CompareReport.SCHEMA_VERSION);
    }

    @Test
    void pageNeedsNothingElseAndEscapesWhatItShows() {
        String page = HtmlReport.render(REPORT);

        assertThat(page)
                .contains("a &lt; b &amp; &quot;c&quot;")
                .contains("Linux &lt;6&gt;")
                .doesNotContain("http://", "https://", "<script", "url(", "@import", "src=");
    }

    @Test
    void chartsAreWellFormedAndHaveABarForEachMeasurement() throws Exception {
        Matcher charts = Pattern.compile("(?s)<svg.*?</svg>").matcher(HtmlReport.render(REPORT));
        int found = 0;
        while (charts.find()) {
            Document svg = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(charts.group())));
            assertThat(svg.getElementsByTagName("rect").getLength())
                    .isEqualTo(REPORT.measurements().size());
            found++;
        }
        assertThat(found).isEqualTo(4);
    }

    @Test
    void barsAreAsLongAsTheirValues() {
        String svg = new BarChart("requests", "%.0f", List.of("a", "b"))
                .render(Map.of("path", new TreeMap<>(Map.of("a", 100.0, "b", 25.0))));
        Matcher widths = Pattern.compile("<rect[^>]* width=\"([0-9.]+)\"").matcher(svg);

        List<Double> lengths = new ArrayList<>();
        while (widths.find()) {
            lengths.add(Double.parseDouble(widths.group(1)));
        }
        assertThat(lengths).hasSize(2);
        assertThat(lengths.get(1) / lengths.get(0)).isEqualTo(0.25);
    }

    @Test
    void writesThreeFiles(@TempDir Path folder) throws IOException {
        ReportFolder.write(REPORT, folder.resolve("new/report"));

        for (String name : List.of("report.md", "report.json", "report.html")) {
            assertThat(Files.size(folder.resolve("new/report").resolve(name))).isPositive();
        }
    }

    private static Measurement measurement(String mode, String path, double requests, double gigabits) {
        return new Measurement(
                mode,
                path,
                new TreeMap<>(Map.of("web-1", 2, "web-2", 1)),
                new TreeMap<>(Map.of("10.244.1.4", 3)),
                requests,
                200,
                900,
                10_000,
                gigabits,
                0);
    }
}
