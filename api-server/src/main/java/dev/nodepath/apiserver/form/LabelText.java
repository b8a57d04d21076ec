package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.SelectorMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Labels and selectors as kubectl shows them. */
final class LabelText {
    private LabelText() {}

    /** Labels as {@code a=b,c=d}; {@code <none>} if there are none. */
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
        return Cells.orNone(SelectorMatch.text(selector));
    }
}
