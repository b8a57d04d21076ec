package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Completion indexes of Jobs: those of Pods, and sets of them as texts, such as {@code 0-2,5}. */
final class JobIndexes {
    private static final Pattern RANGE = Pattern.compile("([0-9]{1,9})(?:-([0-9]{1,9}))?");

    static final String INDEX = "batch.kubernetes.io/job-completion-index";

    private JobIndexes() {}

    /** A range of indexes, both ends included. */
    record Range(int first, int last) {
        int size() {
            return last - first + 1;
        }
    }

    /** The index of a Pod; empty if it has none. */
    static OptionalInt of(JsonNode pod) {
        String text = pod.path("metadata").path("annotations").path(INDEX).asText("");
        return text.matches("[0-9]{1,9}") ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
    }

    /** Two neighbours are listed, three and more are a range. */
    static String text(NavigableSet<Integer> indexes) {
        List<String> parts = new ArrayList<>();
        List<Integer> all = List.copyOf(indexes);
        for (int start = 0; start < all.size(); ) {
            int end = start;
            while (end + 1 < all.size() && all.get(end + 1) == all.get(end) + 1) {
                end++;
            }
            parts.add(
                    end == start
                            ? String.valueOf(all.get(start))
                            : all.get(start) + (end == start + 1 ? "," : "-") + all.get(end));
            start = end + 1;
        }
        return String.join(",", parts);
    }

    /** The indexes of a text, without those that the Job does not have. The API server has checked its form. */
    static List<Range> ranges(String text, int completions) {
        List<Range> ranges = new ArrayList<>();
        Matcher each = RANGE.matcher(text);
        while (each.find()) {
            int first = Integer.parseInt(each.group(1));
            int last = each.group(2) == null ? first : Integer.parseInt(each.group(2));
            if (first < completions) {
                ranges.add(new Range(first, Math.min(last, completions - 1)));
            }
        }
        return ranges;
    }
}
