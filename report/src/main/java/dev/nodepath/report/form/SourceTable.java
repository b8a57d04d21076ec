package dev.nodepath.report.form;

import dev.nodepath.report.PathAnswers;
import java.util.List;

/** The addresses that the backends saw: a row for each path, a column for the direct path and for each mode. */
final class SourceTable {
    private final SeenSources seen;

    SourceTable(SeenSources seen) {
        this.seen = seen;
    }

    String render() {
        StringBuilder html = new StringBuilder("<table class=\"sources\"><caption>Whose address the backend saw"
                + " <span class=\"soft\">≠ not the sender's</span></caption><thead><tr><th>Path</th>");
        seen.contenders().forEach(each -> html.append("<th>" + Html.text(each) + "</th>"));
        html.append("</tr></thead><tbody>\n");
        seen.byPath().forEach((path, rows) -> html.append(row(path, rows)));
        return html.append("</tbody></table>\n<p class=\"soft\">" + Html.text(seen.everybodyAnswered()) + "</p>\n")
                .toString();
    }

    private String row(String path, List<PathAnswers> rows) {
        StringBuilder html = new StringBuilder("<tr><th scope=\"row\">" + Html.text(path) + "</th>");
        for (String contender : seen.contenders()) {
            html.append(rows.stream()
                    .filter(each -> each.contender().equals(contender))
                    .findFirst()
                    .map(this::cell)
                    .orElse("<td></td>"));
        }
        return html.append("</tr>\n").toString();
    }

    private String cell(PathAnswers each) {
        boolean keeps = seen.keeps(each);
        String names = seen.names(each);
        String addresses = String.join(", ", each.sources().keySet());
        return "<td data-of=\"" + Html.text(each.contender()) + "\"" + (keeps ? "" : " class=\"other\"") + "><span>"
                + (keeps ? "" : "≠ ") + Html.text(names) + "</span>"
                + (names.equals(addresses) ? "" : "<small>" + Html.text(addresses) + "</small>") + "</td>";
    }
}
