package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.report.Curve;
import dev.nodepath.report.Figure;
import dev.nodepath.report.Report;
import dev.nodepath.report.SampleReport;
import dev.nodepath.report.Samples;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class HtmlReportTest {
    private static final Report REPORT = SampleReport.create();
    private static final String PAGE = HtmlReport.render(REPORT);

    @Test
    void pageNeedsNothingElseAndEscapesWhatItShows() {
        assertThat(PAGE)
                .contains("a &lt; b &amp; &quot;c&quot;")
                .contains("AMD EPYC &lt;Milan&gt;")
                .doesNotContain("http://", "https://", "<script", "url(", "@import", "src=");
    }

    @Test
    void chartsAreWellFormedAndThereIsOneForEachFigureAndCurve() throws Exception {
        Matcher charts = Pattern.compile("(?s)<svg.*?</svg>").matcher(PAGE);
        int found = 0;
        while (charts.find()) {
            Document svg = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(charts.group())));
            assertThat(svg.getDocumentElement().getAttribute("data-marks")).isNotEqualTo("0");
            found++;
        }
        int expected = REPORT.suites().stream()
                .mapToInt(suite -> suite.figures().size()
                        + suite.curves().stream()
                                .mapToInt(curve -> curve.kind() == Curve.Kind.LATENCY_PERCENTILES ? 2 : 1)
                                .sum()
                        + (suite.cluster().isPresent() ? 1 : 0))
                .sum();
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void barsAreAsLongAsThePrintedFactors() {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("a", Samples.of(90, 100, 200));
        values.put("b", Samples.of(45, 45, 45));
        values.put("c", Samples.of(30, 60, 20));
        Figure figure = new Figure("", "requests", "1/s", false, "a", values, Optional.empty());

        List<Double> lengths = lengths(figure);

        assertThat(lengths).hasSize(3);
        for (int i = 1; i < 3; i++) {
            String factor =
                    FigureText.ratio(figure, List.of("a", "b", "c").get(i)).replaceFirst(" x.*", "");
            assertThat(lengths.get(i) / lengths.get(0)).isCloseTo(Double.parseDouble(factor), within(0.006));
        }
    }

    @Test
    void barsWithoutABaselineAreAsLongAsTheirMedians() {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("a", Samples.of(90, 100, 110));
        values.put("b", Samples.of(25));

        List<Double> lengths = lengths(new Figure("", "memory", "MB", true, "direct", values, Optional.empty()));

        assertThat(lengths.get(1) / lengths.get(0)).isCloseTo(0.25, within(0.001));
    }

    /** A cap says that a line ends there. */
    @Test
    void aLineThatIsCutHasNoCapAtTheCut() {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("whole", Samples.of(90, 100, 104));
        values.put("cut", Samples.of(45, 50, 900));
        Figure figure = new Figure("", "requests", "1/s", false, "direct", values, Optional.empty());

        List<String> lines = Pattern.compile("class=\"range\" d=\"([^\"]+)\"")
                .matcher(new BarChart(figure, Palette.of(REPORT), BarChart.most(figure)).render())
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0).split("v6", -1)).as("two caps").hasSize(3);
        assertThat(lines.get(1).split("v6", -1)).as("one cap").hasSize(2);
    }

    @Test
    void theFirstScreenSaysInThreeSentencesWhatWasLearnt() {
        String learnt = PAGE.replaceAll("(?s).*<p class=\"learnt\">(.*?)</p>.*", "$1");

        assertThat(learnt.split("\\.( |$)")).hasSize(3);
        assertThat(learnt)
                .contains("Paths on which backends see the sender", " of ", " in userspace")
                .contains("What each mode carries at the least")
                .endsWith(" 5 of 13 targets and checks were missed.");
        assertThat(PAGE.indexOf("class=\"learnt\"")).isLessThan(PAGE.indexOf("class=\"lesson\""));
    }

    @Test
    void aDoubtStandsAboveWhatItDoubts() {
        assertThat(PAGE).containsSubsequence("class=\"doubts\"", "class=\"learnt\"", "class=\"lesson\"", "<section");
        assertThat(PAGE.indexOf("class=\"doubt\"")).isPositive();
        REPORT.suites().forEach(suite -> {
            String section = PAGE.substring(PAGE.indexOf("<section id=\"" + suite.name() + "\""));
            section = section.substring(0, section.indexOf("</section>"));
            int doubt = section.indexOf("class=\"doubt\"");
            assertThat(doubt < 0 || doubt < section.indexOf(Html.text(suite.verdict())))
                    .isTrue();
        });
    }

    @Test
    void memoryIsInGigabytes() {
        assertThat(PAGE).contains("<dt>memory</dt><dd>25.3 GB</dd>").doesNotContain("kB</dd>");
    }

    @Test
    void orangeIsNoColourOfASeriesOrOfAReplacedSource() {
        String style = PAGE.substring(PAGE.indexOf("<style>"), PAGE.indexOf("</style>"));

        assertThat(style).doesNotContain("c8571b", "f0894a").contains(".other { font-weight: 600; }");
    }

    @Test
    void chartsThatAreComparedHaveOneScale() {
        Figure one = figure("one", 100, 50);
        Figure two = figure("two", 10, 20);
        Figure farOff = figure("far off", 1, 100);

        assertThat(Scales.of(List.of(one, two)).values()).containsExactlyInAnyOrder(2.0, 2.0);
        assertThat(Scales.of(List.of(one, farOff)).get(one)).isEqualTo(1.0);
    }

    @Test
    void ticksBeginAtZeroAndAreFew() {
        for (double most : new double[] {0.003, 0.9, 1, 1.2, 7.46, 48, 112_000}) {
            assertThat(BarChart.ticks(most)).hasSizeBetween(3, 6).startsWith(0.0);
        }
    }

    @Test
    void eachLinkOfTheContentsHasItsPlace() {
        Matcher links = Pattern.compile("href=\"#([^\"]+)\"").matcher(PAGE);
        int found = 0;
        while (links.find()) {
            assertThat(PAGE).contains("id=\"" + links.group(1) + "\"");
            found++;
        }
        assertThat(found).isGreaterThan(REPORT.suites().size());
    }

    @Test
    void whoseAddressWasSeenStandsBeforeTheFigures() {
        assertThat(PAGE)
                .containsSubsequence("hides the sender's address", "It carries", "class=\"map\"", "class=\"sources\"");
        assertThat(PAGE.indexOf("class=\"sources\"")).isLessThan(PAGE.indexOf("<nav"));
    }

    @Test
    void everyMissIsNamedAboveTheSuites() {
        String top = PAGE.substring(0, PAGE.indexOf("<section"));
        long missed = REPORT.suites().stream()
                .flatMap(suite -> suite.figures().stream())
                .filter(Figure::missed)
                .count();

        long failed = REPORT.suites().stream()
                .flatMap(suite -> suite.checks().stream())
                .filter(check -> !check.met())
                .count();

        assertThat(missed).isPositive();
        assertThat(failed).isPositive();
        assertThat(top.split("<td class=\"failed\">", -1)).hasSize((int) (missed + failed) + 1);
    }

    @Test
    void noCardOfTheContentsStandsAloneIfThatCanBe() {
        for (int cards = 2; cards <= 20; cards++) {
            for (int most : new int[] {4, 7}) {
                int columns = Contents.columns(cards, most);
                assertThat(columns).isBetween(1, most);
                assertThat(columns == 2 || cards % columns != 1).isTrue();
            }
        }
    }

    @Test
    void checksThatFailedStandOpenAndThoseMetAreFolded() {
        assertThat(PAGE).contains("1 of 2 checks were met", "Checks that failed");
        assertThat(PAGE.indexOf("✗ FAILED")).isLessThan(PAGE.indexOf("✓ met"));
    }

    private static Figure figure(String what, double direct, double other) {
        Map<String, Samples> values = new LinkedHashMap<>();
        values.put("direct", Samples.of(direct));
        values.put("other", Samples.of(other));
        return new Figure("", what, "1/s", false, "direct", values, Optional.empty());
    }

    private static List<Double> lengths(Figure figure) {
        Matcher widths = Pattern.compile("<rect[^>]* width=\"([0-9.]+)\"")
                .matcher(new BarChart(figure, Palette.of(REPORT), BarChart.most(figure)).render());
        List<Double> lengths = new ArrayList<>();
        while (widths.find()) {
            lengths.add(Double.parseDouble(widths.group(1)));
        }
        return lengths;
    }

    @Test
    void axesPlaceValuesByTheirLogarithm() {
        Axis axis = Axis.logarithmic(1, 1000, 0, 300);
        assertThat(axis.at(10)).isEqualTo(100);
        assertThat(axis.ticks()).containsExactly(1.0, 10.0, 100.0, 1000.0);
        assertThat(Axis.logarithmic(100, 400, 0, 1).ticks()).containsExactly(100.0, 200.0);
        assertThat(Axis.logarithmicAt(new TreeSet<>(List.of(1.0, 100.0, 5000.0)), 0, 1)
                        .ticks())
                .containsExactly(1.0, 100.0, 5000.0);
        Axis percentiles = Axis.percentiles(99.99, 0, 400);
        assertThat(Math.round(percentiles.at(99))).isEqualTo(200);
        assertThat(percentiles.ticks().stream().map(Axis::name)).containsExactly("50", "90", "99", "99.9", "99.99");
    }

    @Test
    void curveWithoutAPointThatHasAPlaceSaysSo() {
        Curve curve = new Curve(
                "latency",
                "percentile",
                "us",
                Curve.Kind.LATENCY_PERCENTILES,
                Map.of("a", List.of(new Curve.Point(100, Samples.of(5)), new Curve.Point(50, Samples.of(0)))));

        assertThat(new CurveChart(curve, Palette.of(REPORT), CurveChart.NARROW).render())
                .contains("nothing was measured", "data-marks=\"0\"");
    }

    @Test
    void namesOfLinesAreMovedApart() {
        double[] places = CurveChart.apart(new double[] {20, 21, 100, 255, 256});
        for (int i = 1; i < places.length; i++) {
            assertThat(places[i] - places[i - 1]).isGreaterThanOrEqualTo(15);
        }
        assertThat(places[0]).isEqualTo(20);
        assertThat(places[4]).isEqualTo(256);
    }

    @Test
    void contenderHasOneColourAllOverThePage() {
        Palette palette = Palette.of(REPORT);
        assertThat(palette.fill("direct")).isEqualTo("f0");
        assertThat(palette.line("direct")).isEqualTo("l0");
        assertThat(palette.fill("userspace")).isEqualTo("f1");
    }
}
