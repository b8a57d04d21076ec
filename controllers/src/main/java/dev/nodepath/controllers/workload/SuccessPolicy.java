package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalInt;

/** {@code spec.successPolicy} of a Job: the indexes that suffice (KEP-3998). */
final class SuccessPolicy {
    private SuccessPolicy() {}

    /**
     * The position of the first met rule; empty if none is met.
     *
     * @param succeeded the indexes whose Pods have succeeded
     */
    static OptionalInt met(JsonNode job, NavigableSet<Integer> succeeded) {
        JsonNode rules = job.path("spec").path("successPolicy").path("rules");
        int completions = job.path("spec").path("completions").asInt();
        for (int i = 0; i < rules.size() && !succeeded.isEmpty(); i++) {
            if (isMet(rules.path(i), succeeded, completions)) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    private static boolean isMet(JsonNode rule, NavigableSet<Integer> succeeded, int completions) {
        JsonNode count = rule.path("succeededCount");
        if (!rule.has("succeededIndexes")) {
            return count.isNumber() && succeeded.size() >= count.asInt();
        }
        List<JobIndexes.Range> wanted =
                JobIndexes.ranges(rule.path("succeededIndexes").asText(), completions);
        int all = wanted.stream().mapToInt(JobIndexes.Range::size).sum();
        int reached = wanted.stream()
                .mapToInt(range -> succeeded
                        .subSet(range.first(), true, range.last(), true)
                        .size())
                .sum();
        return all > 0 && (reached == all || (count.isNumber() && reached >= count.asInt()));
    }
}
