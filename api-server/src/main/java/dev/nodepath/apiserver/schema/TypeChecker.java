package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares a tree with the types of its fields, and copies the matching values. It stops at the first value of another
 * type.
 */
final class TypeChecker {
    private final Schema schema;
    private final List<String> unknown = new ArrayList<>();

    TypeChecker(Schema schema) {
        this.schema = schema;
    }

    /** The unknown fields: {@code unknown field "spec.foo"}. */
    List<String> unknown() {
        return unknown;
    }

    ObjectNode check(StructType type, ObjectNode tree) {
        return struct(type, tree, "", "");
    }

    /**
     * @param path with list positions, for unknown fields
     * @param goPath without list positions, for values of another type
     */
    private ObjectNode struct(StructType type, ObjectNode tree, String path, String goPath) {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> entry : tree.properties()) {
            String name = entry.getKey();
            @Nullable FieldType field = type.fields().get(name);
            if (field == null && Schema.isOpen(type)) {
                copy.set(name, entry.getValue());
            } else if (field == null) {
                unknown.add("unknown field \"" + join(path, name) + "\"");
            } else if (!entry.getValue().isNull()) {
                Place place = new Place(type, name, field, join(goPath, name));
                JsonNode value = field(place, entry.getValue(), join(path, name));
                if (!isEmptyOption(place, value)) {
                    copy.set(name, value);
                }
            }
        }
        return copy;
    }

    private JsonNode field(Place place, JsonNode value, String path) {
        return switch (place.type().container()) {
            case ONE -> one(place, value, path);
            case LIST -> list(place, value, path);
            case MAP -> map(place, value, path);
        };
    }

    private ArrayNode list(Place place, JsonNode value, String path) {
        if (!value.isArray()) {
            throw place.mistyped(value, "[]" + place.goElement());
        }
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        for (JsonNode item : value) {
            copy.add(one(place, item, path + "[" + copy.size() + "]"));
        }
        return copy;
    }

    private ObjectNode map(Place place, JsonNode value, String path) {
        if (!value.isObject()) {
            throw place.mistyped(value, "map[string]" + place.goElement());
        }
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            copy.set(entry.getKey(), one(place, entry.getValue(), join(path, entry.getKey())));
        }
        return copy;
    }

    private JsonNode one(Place place, JsonNode value, String path) {
        if (!place.type().isStruct()) {
            return ScalarChecker.check(place, value);
        }
        if (value.isNull()) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (!(value instanceof ObjectNode object)) {
            throw place.mistyped(value, place.goElement());
        }
        StructType type = schema.type(place.type().element()).orElseThrow();
        return struct(type, object, path, place.goPath());
    }

    /** Kubernetes does not store optional lists and maps without items. */
    private static boolean isEmptyOption(Place place, JsonNode value) {
        boolean several = place.type().container() != FieldType.Container.ONE;
        return several && value.isEmpty() && !place.traits().required();
    }

    private static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
