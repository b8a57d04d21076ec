package dev.nodepath.report.html;

import dev.nodepath.report.PathAnswers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who answered, and which source was seen: a sentence for each mode, and a table with a row for each path and mode. The sender's
 * own addresses are those that were seen without a Service, on the direct path.
 */
final class AnswerRows {
    private static final String DIRECT = "direct";

    private final List<PathAnswers> answers;
    private final Palette palette;
    private final Map<String, Set<String>> own = new LinkedHashMap<>();

    AnswerRows(List<PathAnswers> answers, Palette palette) {
        this.answers = answers;
        this.palette = palette;
        answers.stream()
                .filter(each -> each.contender().equals(DIRECT))
                .forEach(each -> own.put(each.path(), each.sources().keySet()));
    }

    String render() {
        return answers.isEmpty()
                ? ""
                : "<h3>Who answered, and whose address the backend saw</h3>\n" + sentences() + table();
    }

    private String sentences() {
        Set<String> modes = new LinkedHashSet<>();
        answers.forEach(each -> modes.add(each.contender()));
        modes.remove(DIRECT);
        StringBuilder html = new StringBuilder("<ul class=\"findings\">\n");
        for (String mode : modes) {
            html.append("<li><b><i class=\"b" + palette.index(mode) + "\"></i>" + Html.text(mode) + "</b> "
                    + Html.text(sentence(mode)) + "</li>\n");
        }
        return html.append("</ul>\n").toString();
    }

    /** On which paths a mode keeps the sender's address. */
    String sentence(String mode) {
        List<String> kept = new ArrayList<>();
        List<String> changed = new ArrayList<>();
        for (PathAnswers each : answers) {
            if (each.contender().equals(mode) && own.containsKey(each.path())) {
                (keeps(each) ? kept : changed).add(each.path());
            }
        }
        if (changed.isEmpty()) {
            return "shows the backend the sender's own address on every path.";
        }
        return kept.isEmpty()
                ? "shows the backend another address than the sender's on every path."
                : "shows the backend the sender's own address from " + String.join("; ", kept)
                        + ". It shows another from " + String.join("; ", changed) + ".";
    }

    private boolean keeps(PathAnswers each) {
        return own.getOrDefault(each.path(), Set.of())
                .containsAll(each.sources().keySet());
    }

    private String table() {
        StringBuilder html = new StringBuilder(
                "<table class=\"answers\"><thead><tr><th>Mode</th><th>Answered by</th><th>Source seen</th></tr></thead><tbody>\n");
        Map<String, List<PathAnswers>> byPath = answers.stream()
                .collect(Collectors.groupingBy(PathAnswers::path, LinkedHashMap::new, Collectors.toList()));
        byPath.forEach((path, rows) -> {
            html.append("<tr class=\"group\"><th colspan=\"3\">" + Html.text(path) + "</th></tr>\n");
            rows.forEach(each -> html.append("<tr><th scope=\"row\">" + Html.text(each.contender()) + "</th><td>"
                    + counts(each.pods()) + "</td><td" + (keeps(each) ? "" : " class=\"other\"") + ">"
                    + counts(each.sources()) + (keeps(each) ? "" : " <small>not the sender's</small>")
                    + "</td></tr>\n"));
        });
        return html.append("</tbody></table>\n").toString();
    }

    private static String counts(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> Html.text(entry.getKey() + " ×" + entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
