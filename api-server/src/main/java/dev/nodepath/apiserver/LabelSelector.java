package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.LabelRequirement;
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
    /** All repetitions are possessive: a text that does not match is read only once. */
    private static final Pattern REQUIREMENT = Pattern.compile("\\s*+(?:!\\s*+(?<absent>[^\\s,=!<>()]++)"
            + "|(?<key>[^\\s,=!<>()]++)\\s*+(?:(?<operator>==|=|!=|>|<)\\s*+(?<value>[^\\s,=!<>()]*+)"
            + "|(?<=\\s)(?<set>in|notin)\\s*+\\((?<values>[^()]*+)\\))?)\\s*+(?:,|$)");

    private static final Pattern KEY = Pattern.compile(
            "(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");
    private static final Pattern VALUE = Pattern.compile("(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?");

    private final List<LabelRequirement> requirements;

    private LabelSelector(List<LabelRequirement> requirements) {
        this.requirements = List.copyOf(requirements);
    }

    /**
     * Reads a selector. Empty text chooses all.
     *
     * @throws StatusException 400 if it is no selector
     */
    public static ObjectSelector parse(String text) {
        if (text.isBlank()) {
            return ALL;
        }
        List<LabelRequirement> requirements = new ArrayList<>();
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
        for (LabelRequirement each : requirements) {
            if (!each.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    private static LabelRequirement requirement(String text, Matcher matcher) {
        if (matcher.group("absent") != null) {
            return new LabelRequirement(key(text, matcher.group("absent")), "DoesNotExist", Set.of());
        }
        String key = key(text, matcher.group("key"));
        if (matcher.group("set") != null) {
            Set<String> values = new TreeSet<>();
            for (String each : matcher.group("values").split(",", -1)) {
                values.add(value(text, each.trim()));
            }
            return new LabelRequirement(key, matcher.group("set").equals("in") ? "In" : "NotIn", values);
        }
        if (matcher.group("operator") == null) {
            return new LabelRequirement(key, "Exists", Set.of());
        }
        Set<String> value = Set.of(value(text, matcher.group("value")));
        return switch (matcher.group("operator")) {
            case "!=" -> new LabelRequirement(key, "NotIn", value);
            case ">" -> new LabelRequirement(key, "Gt", number(text, value));
            case "<" -> new LabelRequirement(key, "Lt", number(text, value));
            default -> new LabelRequirement(key, "In", value);
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
