package dev.nodepath.emulator.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The report as one page that needs nothing else: no network, no script; light or dark as the reader's system asks. */
final class HtmlReport {
    private static final String STYLE = """
            :root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6573; --paper: #ffffff; --line: #d9dee5;
              --s0: #6b7a90; --s1: #d9822b; --s2: #2f7fd1; --good: #1d7f4e; --bad: #c23030; }
            @media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --soft: #a3aebd; --paper: #14181f; --line: #323a46;
              --s0: #8b9ab0; --s1: #eb9b4c; --s2: #5aa2ea; --good: #4cc38a; --bad: #ff7b72; } }
            body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
              max-width: 1080px; margin: 0 auto; padding: 24px 16px 48px; }
            h1 { font-size: 1.6rem; margin: 0 0 4px; } h2 { font-size: 1.15rem; margin: 32px 0 8px; }
            p { margin: 8px 0; } .soft { color: var(--soft); }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-size: .86rem; width: 100%; }
            th, td { text-align: left; padding: 5px 8px; border-bottom: 1px solid var(--line); vertical-align: top; }
            th { color: var(--soft); font-weight: 600; white-space: nowrap; }
            .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
            svg { width: 100%; max-width: 760px; height: auto; display: block; }
            svg text { font: 13px system-ui, sans-serif; fill: var(--ink); } svg .label { text-anchor: end; }
            .s0 { fill: var(--s0); background: var(--s0); } .s1 { fill: var(--s1); background: var(--s1); }
            .s2 { fill: var(--s2); background: var(--s2); }
            .key { display: inline-block; width: 12px; height: 12px; margin: 0 6px 0 0; border-radius: 2px; }
            .legend span { margin-right: 18px; white-space: nowrap; }
            ul { padding-left: 20px; } .ok::marker { content: "\\2713  "; color: var(--good); }
            .failed::marker { content: "\\2717  "; color: var(--bad); } .failed { color: var(--bad); }
            @media print { body { max-width: none; font-size: 12px; } }
            """;

    private final CompareReport report;

    private HtmlReport(CompareReport report) {
        this.report = report;
    }

    static String render(CompareReport report) {
        return new HtmlReport(report).page();
    }

    private String page() {
        return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                + "<title>Nodepath: proxy modes compared</title><style>\n" + STYLE + "</style></head><body>\n"
                + "<h1>Proxy modes compared</h1>\n<p>" + Html.text(Verdict.of(report)) + "</p>\n"
                + "<p class=\"soft\">" + Html.text(machine()) + "</p>\n"
                + legend()
                + chart("Requests per second, kept-alive connections", "%,.0f", Measurement::requestsPerSecond)
                + chart("New connections per second", "%,.0f", Measurement::connectionsPerSecond)
                + chart("Bulk, one stream, Gb/s", "%.1f", Measurement::gigabitsPerSecond)
                + chart("99th percentile latency, microseconds (less is better)", "%,.0f", Measurement::p99Micros)
                + "<h2>All figures</h2>\n<div class=\"wide\">"
                + ResultTable.of(report).toHtml() + "</div>\n"
                + "<p class=\"soft\">" + Html.text(ResultTable.NOTE) + "</p>\n"
                + "<h2>Expectations</h2>\n" + expectations()
                + "<h2>Run it again</h2>\n<p><code>scripts/nodepath compare</code></p>\n</body></html>\n";
    }

    private String machine() {
        StringBuilder text = new StringBuilder();
        report.environment().facts().forEach((name, value) -> text.append(name + " " + value + "; "));
        return text + "load at start " + report.environment().loadAtStart() + "; " + report.startedAt() + ", "
                + report.elapsed().toSeconds() + " s";
    }

    private String legend() {
        StringBuilder html = new StringBuilder("<p class=\"legend\">");
        List<String> modes = report.modes();
        for (int i = 0; i < modes.size(); i++) {
            html.append("<span><i class=\"key s" + i + "\"></i>" + Html.text(modes.get(i)) + "</span>");
        }
        return html.append("</p>\n").toString();
    }

    private String chart(String title, String numberFormat, ToDoubleFunction<Measurement> figure) {
        Map<String, Map<String, Double>> groups = new LinkedHashMap<>();
        for (Measurement measurement : report.measurements()) {
            groups.computeIfAbsent(measurement.path(), path -> new LinkedHashMap<>())
                    .put(measurement.mode(), figure.applyAsDouble(measurement));
        }
        return "<h2>" + Html.text(title) + "</h2>\n" + new BarChart(title, numberFormat, report.modes()).render(groups);
    }

    private String expectations() {
        StringBuilder html = new StringBuilder("<ul>\n");
        for (Expectation expectation : report.expectations()) {
            html.append(expectation.met() ? "<li class=\"ok\">" : "<li class=\"failed\">")
                    .append(Html.text(expectation.mode() + ": " + expectation.what()))
                    .append(" <span class=\"soft\">(")
                    .append(Html.text(expectation.observed()))
                    .append(")</span></li>\n");
        }
        return html.append("</ul>\n").toString();
    }
}
