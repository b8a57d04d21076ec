package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Texts of cells. */
final class Cells {
    /** The text of an absent value. */
    static final String NONE = "<none>";

    private Cells() {}

    /** The text of a field; {@code <none>} if it is absent or empty. */
    static Function<JsonNode, String> field(String... path) {
        return object -> orNone(at(object, path).asText(""));
    }

    static JsonNode at(JsonNode object, String... path) {
        JsonNode node = object;
        for (String step : path) {
            node = node.path(step);
        }
        return node;
    }

    static String orNone(String text) {
        return text.isEmpty() ? NONE : text;
    }

    /** Texts joined by commas; {@code <none>} if there are none. */
    static String list(JsonNode texts) {
        List<String> all = new ArrayList<>();
        texts.forEach(each -> all.add(each.asText()));
        return orNone(String.join(",", all));
    }
}
