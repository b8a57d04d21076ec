package dev.nodepath.apiserver.validation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code podFailurePolicy} and {@code successPolicy} of Jobs. */
final class JobPolicyValidation {
    private static final int RULES_MAX = 20;
    private static final int CONDITIONS_MAX = 20;
    private static final int EXIT_CODES_MAX = 255;

    /** In bytes. */
    private static final int INDEXES_LENGTH_MAX = 64 * 1024;

    private static final List<String> ACTIONS = List.of("Count", "FailIndex", "FailJob", "Ignore");
    private static final List<String> OPERATORS = List.of("In", "NotIn");
    private static final List<String> STATUSES = List.of("False", "True", "Unknown");
    private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]{1,9}");

    private JobPolicyValidation() {}

    static void failure(ObjectField spec) {
        ObjectField rules = spec.at("podFailurePolicy").at("rules");
        atMost(rules, RULES_MAX);
        Set<String> containers = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            spec.at("template")
                    .at("spec")
                    .at(list)
                    .items()
                    .forEach(each -> containers.add(each.at("name").text()));
        }
        boolean perIndex = spec.at("backoffLimitPerIndex").isPresent();
        rules.items().forEach(rule -> failure(rule, perIndex, containers));
    }

    private static void failure(ObjectField rule, boolean perIndex, Set<String> containers) {
        ObjectField action = rule.at("action");
        if (action.text().equals("FailIndex") && !perIndex) {
            action.invalid("requires the backoffLimitPerIndex to be set");
        }
        word(action, ACTIONS);
        ObjectField codes = rule.at("onExitCodes");
        ObjectField conditions = rule.at("onPodConditions");
        if (codes.isPresent()) {
            exitCodes(codes, containers);
        }
        atMost(conditions, CONDITIONS_MAX);
        for (ObjectField pattern : conditions.items()) {
            MetadataValidation.qualified(pattern.at("type"), pattern.at("type").text());
            word(pattern.at("status"), STATUSES);
        }
        if (codes.isPresent() && conditions.isSet()) {
            rule.broken("specifying both OnExitCodes and OnPodConditions is not supported");
        } else if (!codes.isPresent() && !conditions.isSet()) {
            rule.broken("specifying one of OnExitCodes and OnPodConditions is required");
        }
    }

    private static void exitCodes(ObjectField codes, Set<String> containers) {
        word(codes.at("operator"), OPERATORS);
        ObjectField container = codes.at("containerName");
        if (container.isPresent() && !containers.contains(container.text())) {
            container.invalid("must be one of the container or initContainer names in the pod template");
        }
        ObjectField values = codes.at("values");
        if (!values.isSet()) {
            values.invalid("at least one value is required");
        }
        atMost(values, EXIT_CODES_MAX);
        Set<Long> seen = new HashSet<>();
        boolean ordered = true;
        long before = Long.MIN_VALUE;
        for (ObjectField value : values.items()) {
            if (value.number() == 0 && codes.at("operator").text().equals("In")) {
                value.invalid("must not be 0 for the In operator");
            }
            if (!seen.add(value.number())) {
                value.duplicate();
            }
            ordered &= before <= value.number();
            before = value.number();
        }
        if (!ordered) {
            values.invalid("must be ordered");
        }
    }

    static void success(ObjectField spec) {
        ObjectField policy = spec.at("successPolicy");
        if (!JobValidation.isIndexed(spec)) {
            policy.invalid("requires indexed completion mode");
            return;
        }
        ObjectField rules = policy.at("rules");
        if (!rules.isSet()) {
            rules.required("at least one rules must be specified when the successPolicy is specified");
        }
        atMost(rules, RULES_MAX);
        rules.items().forEach(rule -> success(rule, spec.at("completions").number()));
    }

    private static void success(ObjectField rule, long completions) {
        ObjectField count = rule.at("succeededCount");
        ObjectField indexes = rule.at("succeededIndexes");
        if (!count.isPresent() && !indexes.isPresent()) {
            rule.required("at least one of succeededCount or succeededIndexes must be specified");
        }
        long listed = indexes.isPresent() ? countIndexes(indexes, completions) : completions;
        count.notNegative();
        if (count.number() > completions) {
            count.invalid("must be less than or equal to " + completions + " (the number of specified completions)");
        }
        if (indexes.isPresent() && count.number() > listed) {
            count.invalid("must be less than or equal to " + listed
                    + " (the number of indexes in the specified succeededIndexes field)");
        }
    }

    /** The number of indexes in a text such as {@code 0-2,5}; 0 if it is malformed. */
    private static long countIndexes(ObjectField indexes, long completions) {
        if (indexes.text().length() > INDEXES_LENGTH_MAX) {
            indexes.tooLong(INDEXES_LENGTH_MAX);
            return 0;
        }
        try {
            return countIndexes(indexes.text(), completions);
        } catch (IndexProblem e) {
            indexes.invalid("error parsing succeededIndexes: " + e.getMessage());
            return 0;
        }
    }

    private static long countIndexes(String text, long completions) throws IndexProblem {
        long total = 0;
        long last = -1;
        boolean first = true;
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            String[] ends = part.split("-", -1);
            if (ends.length > 2) {
                throw new IndexProblem("the fragment " + GoText.quote(part) + " violates the requirement that an index"
                        + " interval can have at most two parts separated by '-'");
            }
            long from = index(ends[0], completions);
            long to = index(ends[ends.length - 1], completions);
            if (ends.length > 1 && from >= to) {
                throw new IndexProblem(order(from, to));
            }
            if (!first && last >= from) {
                throw new IndexProblem(order(last, from));
            }
            total += to - from + 1;
            last = to;
            first = false;
        }
        return total;
    }

    private static String order(long previous, long current) {
        return "non-increasing order, previous: " + previous + ", current: " + current;
    }

    private static long index(String text, long completions) throws IndexProblem {
        if (!NUMBER.matcher(text).matches()) {
            throw new IndexProblem("cannot convert string to integer for index: " + GoText.quote(text));
        }
        long index = Long.parseLong(text);
        if (index >= completions) {
            throw new IndexProblem("too large index: " + GoText.quote(text));
        }
        return index;
    }

    /** A required word. */
    private static void word(ObjectField field, List<String> words) {
        if (!field.isSet()) {
            field.required(
                    "valid values: " + words.stream().map(GoText::quote).collect(Collectors.joining(" ", "[", "]")));
        } else if (!words.contains(field.text())) {
            field.unsupported(words);
        }
    }

    private static void atMost(ObjectField list, int most) {
        if (list.value().size() > most) {
            list.tooMany(most);
        }
    }

    private static final class IndexProblem extends Exception {
        private static final long serialVersionUID = 1L;

        IndexProblem(String message) {
            super(message);
        }
    }
}
