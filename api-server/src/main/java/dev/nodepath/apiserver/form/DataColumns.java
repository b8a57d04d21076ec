package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Columns of {@code kinds.txt}: a title and an expression. */
final class DataColumns {
    private static final String EACH = "[]";

    private DataColumns() {}

    /** The column of a line, such as {@code Hosts spec.rules[].host?*}. */
    static Column of(String line) {
        int space = line.indexOf(' ');
        String title = line.substring(0, space).replace('_', ' ');
        String expression = line.substring(space + 1);
        boolean wide = title.endsWith("*");
        String name = wide ? title.substring(0, title.length() - 1) : title;
        Column column = new Column(
                name,
                "string",
                name.equals("Name") ? "name" : "",
                false,
                name,
                (object, now) -> evaluate(expression, object, now));
        return wide ? column.onlyWide() : column;
    }

    private static String evaluate(String expression, JsonNode object, Instant now) {
        int word = expression.indexOf(')');
        if (word > 0) {
            String path = expression.substring(word + 1);
            return StoredCells.of(expression.substring(1, word), object, path.isEmpty() ? object : at(object, path));
        }
        List<String> parts = new ArrayList<>();
        // The text for an absent value may have a slash, as N/A.
        for (String part : expression.split("/(?=[a-z])", -1)) {
            parts.add(part(part, object, now));
        }
        boolean absent = parts.stream().allMatch(each -> each.isEmpty() || each.equals(Cells.NONE));
        return absent ? parts.get(0) : String.join("/", parts);
    }

    private static String part(String text, JsonNode object, Instant now) {
        int mark = text.indexOf('?');
        String absent = mark < 0 ? Cells.NONE : text.substring(mark + 1);
        String path = mark < 0 ? text : text.substring(0, mark);
        if (path.endsWith("#")) {
            return String.valueOf(
                    at(object, path.substring(0, path.length() - 1)).size());
        }
        if (path.endsWith("~")) {
            JsonNode time = at(object, path.substring(0, path.length() - 1));
            return time.isTextual() ? Ages.since(time, now) : Cells.NONE;
        }
        String value;
        int each = path.indexOf(EACH);
        if (each < 0) {
            value = at(object, path).asText("");
        } else {
            List<String> all = new ArrayList<>();
            String rest = path.substring(each + EACH.length());
            for (JsonNode item : at(object, path.substring(0, each))) {
                String found = rest.isEmpty()
                        ? item.asText("")
                        : at(item, rest.substring(1)).asText("");
                if (!found.isEmpty()) {
                    all.add(found);
                }
            }
            value = String.join(",", all);
        }
        return value.isEmpty() ? absent : value;
    }

    private static JsonNode at(JsonNode object, String path) {
        return Cells.at(object, path.split("\\.", -1));
    }
}
