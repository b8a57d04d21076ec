package dev.nodepath.report.form;

import dev.nodepath.report.ClusterMap;
import dev.nodepath.report.Findings;
import dev.nodepath.report.Findings.Finding;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The first results of a run: the addresses that backends see, the cluster's picture, and the throughput of each mode.
 */
final class Overview {
    private final Palette palette;
    private final SeenSources seen;
    private final Optional<ClusterMap> cluster;
    private final boolean several;
    private final Map<String, Finding> findings = new LinkedHashMap<>();

    Overview(Report report, Palette palette) {
        this.palette = palette;
        Optional<SuiteResult> answered = report.suites().stream()
                .filter(suite -> suite.answers().isPresent())
                .findFirst();
        this.seen = answered.map(SeenSources::new).orElseGet(() -> new SeenSources(List.of(), Optional.empty()));
        this.cluster = answered.flatMap(SuiteResult::cluster);
        this.several = report.suites().size() > 1;
        Findings.of(report).forEach(each -> findings.put(each.mode(), each));
    }

    String render() {
        Set<String> modes = new LinkedHashSet<>(seen.contenders());
        modes.remove(SeenSources.DIRECT);
        modes.addAll(findings.keySet());
        if (modes.isEmpty()) {
            return "";
        }
        StringBuilder html = new StringBuilder("<div class=\"lesson\"><ul class=\"findings\">\n");
        modes.forEach(mode -> html.append(finding(mode)));
        html.append("</ul>\n");
        cluster.ifPresent(map -> html.append("<figure class=\"map\"><figcaption><b>The cluster</b><span>")
                .append("outlined: asks; filled: answers</span></figcaption>\n")
                .append(new ClusterPicture(map).render())
                .append("</figure>\n"));
        html.append("</div>\n");
        return html.append(seen.isEmpty() ? "" : new SourceTable(seen).render()).toString();
    }

    private String finding(String mode) {
        Finding finding = findings.get(mode);
        String load = finding == null ? "" : finding.text();
        String costs = finding == null ? "" : finding.costs();
        boolean asked = seen.contenders().contains(mode);
        String more = (asked && !load.isEmpty() ? "It " + load + " " + costs : costs).strip();
        String link = several && finding != null ? link(finding.suite()) : "";
        return "<li><b><i class=\"b" + palette.index(mode) + "\"></i>" + Html.text(mode) + "</b> "
                + Html.text(asked ? seen.sentence(mode) : load)
                + (more.isEmpty() ? link : "<span class=\"load\">" + Html.text(more) + link + "</span>") + "</li>\n";
    }

    private static String link(String suite) {
        return " <a href=\"#" + Html.text(suite) + "\">" + Html.text(suite) + "</a>";
    }
}
