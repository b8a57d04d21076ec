package dev.nodepath.report.form;

import dev.nodepath.report.Check;
import dev.nodepath.report.Figure;
import dev.nodepath.report.Findings;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The lessons of the run, in three sentences at most: the seen addresses, the throughput, the missed targets. */
final class Learnt {
    private Learnt() {}

    static String render(Report report) {
        List<String> sentences = new ArrayList<>();
        addresses(report, sentences);
        load(report, sentences);
        targets(report, sentences);
        return sentences.isEmpty() ? "" : "<p class=\"learnt\">" + Html.text(String.join(" ", sentences)) + "</p>\n";
    }

    private static void addresses(Report report, List<String> sentences) {
        report.suites().stream()
                .filter(suite -> suite.answers().isPresent())
                .map(SeenSources::new)
                .findFirst()
                .ifPresent(seen -> {
                    List<String> modes = seen.contenders().stream()
                            .filter(mode -> !mode.equals(SeenSources.DIRECT) && seen.paths(mode) > 0)
                            .map(mode -> seen.kept(mode) + " of " + seen.paths(mode) + " in " + mode)
                            .toList();
                    if (!modes.isEmpty()) {
                        sentences.add("Paths on which backends see the sender's own address: " + list(modes) + ".");
                    }
                });
    }

    private static void load(Report report, List<String> sentences) {
        List<String> modes = Findings.of(report).stream()
                .map(each -> each.mode()
                        + String.format(Locale.ROOT, " %.2f", each.least().factor()))
                .toList();
        if (!modes.isEmpty()) {
            sentences.add("What each mode carries at the least, as a part of the direct path: " + list(modes) + ".");
        }
    }

    private static void targets(Report report, List<String> sentences) {
        int all = 0;
        int missed = 0;
        int open = 0;
        for (SuiteResult suite : report.suites()) {
            for (Figure figure : suite.figures()) {
                all += figure.target().isPresent() ? 1 : 0;
                missed += figure.missed() ? 1 : 0;
                open += !figure.passed() && !figure.missed() ? 1 : 0;
            }
            for (Check check : suite.checks()) {
                all++;
                missed += check.met() ? 0 : 1;
            }
        }
        if (all > 0) {
            sentences.add(targets(all, missed, open));
        }
    }

    private static String targets(int all, int missed, int open) {
        if (missed + open == 0) {
            return "All " + all + " targets and checks were met.";
        }
        String undecided = "not decided or not measured";
        if (missed == 0) {
            return open + " of " + all + " targets and checks were " + undecided + ".";
        }
        return missed + " of " + all + " targets and checks were missed"
                + (open == 0 ? "" : ", " + open + " were " + undecided) + ".";
    }

    private static String list(List<String> parts) {
        return parts.size() < 2
                ? String.join("", parts)
                : parts.subList(0, parts.size() - 1).stream().collect(Collectors.joining(", ")) + " and "
                        + parts.get(parts.size() - 1);
    }
}
