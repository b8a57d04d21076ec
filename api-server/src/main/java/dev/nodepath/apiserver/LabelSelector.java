package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Chooses objects by labels: {@code a=b}, {@code a!=b}, {@code a in (b,c)}, {@code a notin (b)}, {@code a},
 * {@code !a}, {@code a>1}, {@code a<1}, joined by commas (Kubernetes, "Labels and Selectors").
 */
public final class LabelSelector implements ObjectSelector {
    /** All repetitions are possessive: a text that fits in no way is read once. */
    private static final Pattern REQUIREMENT = Pattern.compile("\\s*+(?:!\\s*+(?<absent>[^\\s,=!<>()]++)"
            + "|(?<key>[^\\s,=!<>()]++)\\s*+(?:(?<operator>==|=|!=|>|<)\\s*+(?<value>[^\\s,=!<>()]*+)"
            + "|(?<=\\s)(?<set>in|notin)\\s*+\\((?<values>[^()]*+)\\))?)\\s*+(?:,|$)");

    private static final Pattern KEY = Pattern.compile(
            "(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");
    private static final Pattern VALUE = Pattern.compile("(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?");

    private enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        ABSENT,
        GREATER,
        LESS
    }

    private record Requirement(String key, Operator operator, Set<String> values) {
        boolean matches(JsonNode labels) {
            JsonNode value = labels.path(key);
            return switch (operator) {
                case IN -> value.isTextual() && values.contains(value.asText());
                case NOT_IN -> !value.isTextual() || !values.contains(value.asText());
                case EXISTS -> value.isTextual();
                case ABSENT -> !value.isTextual();
                case GREATER -> compare(value) > 0;
                case LESS -> compare(value) < 0;
            };
        }

        /** Zero also if the label is no number. */
        private int compare(JsonNode value) {
            try {
                return value.isTextual()
                        ? Long.compare(
                                Long.parseLong(value.asText()),
                                Long.parseLong(values.iterator().next()))
                        : 0;
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }

    private final List<Requirement> requirements;

    private LabelSelector(List<Requirement> requirements) {
        this.requirements = List.copyOf(requirements);
    }

    /**
     * Reads a selector. Empty text chooses all.
     *
     * @throws StatusException 400 if it is none
     */
    public static ObjectSelector parse(String text) {
        if (text.isBlank()) {
            return ALL;
        }
        List<Requirement> requirements = new ArrayList<>();
        Matcher matcher = REQUIREMENT.matcher(text);
        int position = 0;
        while (position < text.length()) {
            ObjectSelector.requireFew(requirements.size());
            if (!matcher.region(position, text.length()).lookingAt()) {
                throw refused(text, "found '" + text.substring(position) + "', expected a requirement such as a=b");
            }
            requirements.add(requirement(text, matcher));
            position = matcher.end();
        }
        return new LabelSelector(requirements);
    }

    @Override
    public boolean test(JsonNode object) {
        JsonNode labels = object.path("metadata").path("labels");
        for (Requirement each : requirements) {
            if (!each.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    private static Requirement requirement(String text, Matcher matcher) {
        if (matcher.group("absent") != null) {
            return new Requirement(key(text, matcher.group("absent")), Operator.ABSENT, Set.of());
        }
        String key = key(text, matcher.group("key"));
        if (matcher.group("set") != null) {
            Set<String> values = new TreeSet<>();
            for (String each : matcher.group("values").split(",", -1)) {
                values.add(value(text, each.trim()));
            }
            return new Requirement(key, matcher.group("set").equals("in") ? Operator.IN : Operator.NOT_IN, values);
        }
        if (matcher.group("operator") == null) {
            return new Requirement(key, Operator.EXISTS, Set.of());
        }
        Set<String> value = Set.of(value(text, matcher.group("value")));
        return switch (matcher.group("operator")) {
            case "!=" -> new Requirement(key, Operator.NOT_IN, value);
            case ">" -> new Requirement(key, Operator.GREATER, number(text, value));
            case "<" -> new Requirement(key, Operator.LESS, number(text, value));
            default -> new Requirement(key, Operator.IN, value);
        };
    }

    private static String key(String text, String key) {
        if (!KEY.matcher(key).matches()) {
            throw refused(text, "key: Invalid value: \"" + key + "\": not the name of a label");
        }
        return key;
    }

    private static String value(String text, String value) {
        if (!VALUE.matcher(value).matches()) {
            throw refused(
                    text,
                    "values: Invalid value: \"" + value + "\": a valid label must be an empty string or"
                            + " consist of at most 63 alphanumeric characters, '-', '_' or '.', and must start and end with"
                            + " an alphanumeric character");
        }
        return value;
    }

    private static Set<String> number(String text, Set<String> values) {
        try {
            Long.parseLong(values.iterator().next());
            return values;
        } catch (NumberFormatException e) {
            throw refused(
                    text,
                    "values: Invalid value: \"" + values.iterator().next()
                            + "\": for 'Gt', 'Lt' operators, the value must be an integer");
        }
    }

    private static StatusException refused(String text, String why) {
        return StatusException.badRequest("unable to parse requirement: " + why + " (labelSelector \"" + text + "\")");
    }
}
