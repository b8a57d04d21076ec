package dev.nodepath.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What one label must be: in the text of a selector, in {@code matchExpressions} and in a node affinity.
 *
 * @param operator In, NotIn, Exists, DoesNotExist, Gt or Lt; no labels meet another one
 * @param values one number for Gt and Lt; none for Exists and DoesNotExist
 */
public record LabelRequirement(String key, String operator, Set<String> values) {
    /** Reads an item of {@code matchExpressions}. */
    static LabelRequirement of(JsonNode expression) {
        Set<String> values = new LinkedHashSet<>();
        expression.path("values").forEach(value -> values.add(value.asText()));
        return new LabelRequirement(
                expression.path("key").asText(), expression.path("operator").asText(), values);
    }

    /** Whether labels meet it. */
    public boolean matches(JsonNode labels) {
        JsonNode label = labels.path(key);
        return switch (operator) {
            case "In" -> label.isTextual() && values.contains(label.asText());
            case "NotIn" -> !label.isTextual() || !values.contains(label.asText());
            case "Exists" -> label.isTextual();
            case "DoesNotExist" -> !label.isTextual();
            case "Gt" -> compare(label) > 0;
            case "Lt" -> compare(label) < 0;
            default -> false;
        };
    }

    /** Zero also for what is no number. */
    private int compare(JsonNode label) {
        try {
            return label.isTextual() && !values.isEmpty()
                    ? Long.compare(
                            Long.parseLong(label.asText()),
                            Long.parseLong(values.iterator().next()))
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** As in the text of a selector. */
    @Override
    public String toString() {
        String list = "(" + String.join(",", values) + ")";
        return switch (operator) {
            case "In" -> key + " in " + list;
            case "NotIn" -> key + " notin " + list;
            case "DoesNotExist" -> "!" + key;
            default -> key;
        };
    }
}
