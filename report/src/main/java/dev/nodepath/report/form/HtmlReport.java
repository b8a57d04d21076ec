package dev.nodepath.report.form;

import dev.nodepath.report.Conditions;
import dev.nodepath.report.Doubts;
import dev.nodepath.report.Report;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The report as one page without further files: no network, no script; light or dark as the reader's system asks. */
public final class HtmlReport {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "d MMMM yyyy, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private static final String HOW_TO_READ =
            "A factor such as 0.52 x is the median of the ratios to the baseline of the same round. A bar is as long as its factor; without"
                    + " a baseline, as the median of the rounds. Charts of a group that can be compared have one scale. Thin lines"
                    + " reach from the smallest to the largest round; one without a cap goes on beyond the chart. A dashed line is a target. In"
                    + " tables, the last number of a cell is how far the rounds are apart, as a part of the median.";

    private final Report report;

    private HtmlReport(Report report) {
        this.report = report;
    }

    /** The whole page. */
    public static String render(Report report) {
        return new HtmlReport(report).page();
    }

    private String page() {
        Palette palette = Palette.of(report);
        StringBuilder html = new StringBuilder("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
                + Html.text(report.title()) + "</title>\n<style>\n" + style() + "</style></head>\n<body>\n");
        html.append("<h1>" + Html.text(report.title()) + "</h1>\n<p class=\"soft\">" + Html.text(summary()) + "</p>\n");
        html.append(doubts())
                .append(Learnt.render(report))
                .append(new Overview(report, palette).render())
                .append(new Contents(report).render())
                .append(new Misses(report).render());
        html.append("<details class=\"how\"><summary>How to read this</summary><p>" + HOW_TO_READ + "</p></details>\n");
        report.suites().forEach(suite -> html.append(new SuiteSection(suite, palette).render()));
        return html.append(machine()).append("</body></html>\n").toString();
    }

    private static String style() {
        try (InputStream css = Objects.requireNonNull(HtmlReport.class.getResourceAsStream("style.css"))) {
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("style.css cannot be read from the jar", e);
        }
    }

    private String summary() {
        return DATE.format(report.started()) + ", took "
                + duration(report.took().toSeconds()) + ". "
                + report.environment().facts().getOrDefault("processor", "") + ", "
                + report.environment().cores() + (report.environment().cores() == 1 ? " core, " : " cores, ")
                + report.environment().facts().getOrDefault("kernel", "") + ".";
    }

    private static String duration(long seconds) {
        return seconds < 120 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
    }

    /** The doubts about the whole run; each suite has those about its own figures. */
    private String doubts() {
        List<String> doubts = Doubts.ofRun(report);
        if (doubts.isEmpty()) {
            return "";
        }
        StringBuilder html =
                new StringBuilder("<div class=\"doubts\"><strong>Read these figures with doubt</strong><ul>\n");
        doubts.forEach(doubt -> html.append("<li>" + Html.text(doubt) + "</li>\n"));
        return html.append("</ul></div>\n").toString();
    }

    private String machine() {
        StringBuilder html = new StringBuilder("<section id=\"machine\">\n<h2>What was run, and where</h2>\n");
        html.append("<dl class=\"facts\">\n");
        fact(html, "run it again", report.command());
        fact(html, "started", report.started().toString());
        report.environment().facts().forEach((name, value) -> fact(html, name, Numbers.ofFact(value)));
        Conditions seen = report.environment().conditions();
        fact(html, "load average at the start", Numbers.of(seen.loadAtStart()));
        fact(html, "cores others used before it", Numbers.of(seen.othersAtStart()));
        fact(html, "processor time taken away", seen.stolen() == 0 ? "none" : Numbers.percent(seen.stolen()));
        return html.append("</dl>\n</section>\n").toString();
    }

    private static void fact(StringBuilder html, String name, String value) {
        html.append("<dt>" + Html.text(name) + "</dt><dd>" + Html.text(value) + "</dd>\n");
    }
}
