package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Labels and selectors as kubectl shows them. */
final class LabelText {
    private LabelText() {}

    /** Labels as {@code a=b,c=d}; {@code <none>} without any. */
    static String of(JsonNode labels) {
        TreeMap<String, String> sorted = new TreeMap<>();
        labels.properties()
                .forEach(label -> sorted.put(label.getKey(), label.getValue().asText()));
        List<String> all = new ArrayList<>();
        sorted.forEach((key, value) -> all.add(key + "=" + value));
        return Cells.orNone(String.join(",", all));
    }

    /** A selector with {@code matchLabels} and {@code matchExpressions}. */
    static String selector(JsonNode selector) {
        List<String> all = new ArrayList<>();
        if (!selector.path("matchLabels").isEmpty()) {
            all.add(of(selector.path("matchLabels")));
        }
        for (JsonNode each : selector.path("matchExpressions")) {
            String key = each.path("key").asText();
            String values = "(" + Cells.list(each.path("values")) + ")";
            all.add(
                    switch (each.path("operator").asText()) {
                        case "In" -> key + " in " + values;
                        case "NotIn" -> key + " notin " + values;
                        case "DoesNotExist" -> "!" + key;
                        default -> key;
                    });
        }
        return Cells.orNone(String.join(",", all));
    }
}
