package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Columns that a CustomResourceDefinition declares ({@code additionalPrinterColumns}). */
final class CustomColumns {
    private CustomColumns() {}

    static List<Column> of(JsonNode declared) {
        List<Column> columns = new ArrayList<>(List.of(Column.objectName()));
        for (JsonNode each : declared) {
            columns.add(column(each));
        }
        if (declared.isEmpty()) {
            columns.add(Column.age());
        }
        return columns;
    }

    private static Column column(JsonNode declared) {
        String type = declared.path("type").asText();
        JsonPath path = JsonPath.parse(declared.path("jsonPath").asText());
        return new Column(
                declared.path("name").asText(),
                type,
                declared.path("format").asText(),
                declared.path("priority").asInt() > 0,
                declared.path("description").asText(),
                (object, now) -> cell(type, path.of(object), now));
    }

    private static Object cell(String type, List<JsonNode> found, Instant now) {
        if (found.isEmpty()) {
            return "";
        }
        JsonNode first = found.get(0);
        if (type.equals("date")) {
            return Ages.since(first, now);
        }
        if (type.equals("integer") && first.isIntegralNumber()) {
            return first.asLong();
        }
        if (found.size() == 1) {
            return text(first);
        }
        return "[" + String.join(",", found.stream().map(CustomColumns::text).toList()) + "]";
    }

    private static String text(JsonNode value) {
        return value.isValueNode() ? value.asText() : value.toString();
    }
}
