package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A column of a table.
 *
 * @param name its head
 * @param type {@code string}, {@code integer} or {@code date}
 * @param format {@code name} for the column that names the object
 * @param wide whether only {@code -o wide} shows it
 * @param description its help text
 * @param cell makes a cell of an object: a text or a whole number
 */
record Column(
        String name,
        String type,
        String format,
        boolean wide,
        String description,
        BiFunction<JsonNode, Instant, Object> cell) {

    static Column text(String name, Function<JsonNode, String> cell) {
        return new Column(name, "string", "", false, name, (object, now) -> cell.apply(object));
    }

    static Column number(String name, Function<JsonNode, Long> cell) {
        return new Column(name, "integer", "", false, name, (object, now) -> cell.apply(object));
    }

    static Column objectName() {
        return new Column(
                "Name",
                "string",
                "name",
                false,
                "Name must be unique within a namespace.",
                (object, now) -> object.path("metadata").path("name").asText());
    }

    static Column age() {
        return new Column(
                "Age",
                "string",
                "",
                false,
                "Time since the object was created.",
                (object, now) -> Ages.since(object.path("metadata").path("creationTimestamp"), now));
    }

    Column onlyWide() {
        return new Column(name, type, format, true, description, cell);
    }

    void writeDefinition(ObjectNode into) {
        into.put("name", name)
                .put("type", type)
                .put("format", format)
                .put("description", description)
                .put("priority", wide ? 1 : 0);
    }
}
