package dev.nodepath.report.form;

import dev.nodepath.report.PathAnswers;
import java.util.Map;
import java.util.stream.Collectors;

/** How often each pod answered, and how often each source was seen: a row for each path and mode. */
final class AnswerRows {
    private final SeenSources seen;

    AnswerRows(SeenSources seen) {
        this.seen = seen;
    }

    String render() {
        StringBuilder html = new StringBuilder(
                "<table class=\"answers\"><thead><tr><th>Mode</th><th>Answered by</th><th>Source seen</th></tr></thead><tbody>\n");
        seen.byPath().forEach((path, rows) -> {
            html.append("<tr class=\"group\"><th colspan=\"3\">" + Html.text(path) + "</th></tr>\n");
            rows.forEach(each -> html.append(row(each)));
        });
        return html.append("</tbody></table>\n").toString();
    }

    private String row(PathAnswers each) {
        boolean keeps = seen.keeps(each);
        return "<tr><th scope=\"row\">" + Html.text(each.contender()) + "</th><td>" + counts(each.pods()) + "</td><td"
                + (keeps ? "" : " class=\"other\"") + ">" + counts(each.sources())
                + (keeps ? "" : " <small>not the sender's</small>") + "</td></tr>\n";
    }

    private static String counts(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> Html.text(entry.getKey() + " ×" + entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
