package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.StreamSupport;

/** Adds fields that are absent. An empty text counts as absent. */
final class Absent {
    private Absent() {}

    static void put(ObjectNode object, String field, String value) {
        if (is(object, field)) {
            object.put(field, value);
        }
    }

    static void put(ObjectNode object, String field, int value) {
        if (is(object, field)) {
            object.put(field, value);
        }
    }

    static void put(ObjectNode object, String field, boolean value) {
        if (is(object, field)) {
            object.put(field, value);
        }
    }

    static void putNumberOverZero(ObjectNode object, String field, int value) {
        if (object.path(field).asLong(0) == 0) {
            object.put(field, value);
        }
    }

    /** Adds an object without fields. */
    static void putEmpty(ObjectNode object, String field) {
        if (is(object, field)) {
            object.putObject(field);
        }
    }

    static boolean is(ObjectNode object, String field) {
        JsonNode value = object.path(field);
        return value.isMissingNode()
                || value.isNull()
                || (value.isTextual() && value.textValue().isEmpty());
    }

    /** The objects of a list; none if there is no list. */
    static List<ObjectNode> items(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast)
                .toList();
    }
}
