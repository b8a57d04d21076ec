package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.StreamSupport;

/** Whether labels match a selector ({@code meta/v1.LabelSelector}). */
final class LabelMatch {
    private LabelMatch() {}

    static boolean matches(JsonNode selector, JsonNode labels) {
        for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
            if (!label.getValue().equals(labels.path(label.getKey()))) {
                return false;
            }
        }
        for (JsonNode expression : selector.path("matchExpressions")) {
            JsonNode value = labels.path(expression.path("key").asText());
            boolean listed = StreamSupport.stream(expression.path("values").spliterator(), false)
                    .anyMatch(value::equals);
            boolean matches = switch (expression.path("operator").asText()) {
                case "In" -> listed;
                case "NotIn" -> !listed;
                case "Exists" -> !value.isMissingNode();
                case "DoesNotExist" -> value.isMissingNode();
                default -> false;
            };
            if (!matches) {
                return false;
            }
        }
        return true;
    }
}
