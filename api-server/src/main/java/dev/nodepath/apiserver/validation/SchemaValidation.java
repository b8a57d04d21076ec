package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Compares objects of a custom kind with the schema of their definition ({@code openAPIV3Schema}, a structural one).
 * It knows types, limits, enumerations, patterns and sets, but no rules of CEL. The words are those of
 * apiextensions-apiserver.
 */
public final class SchemaValidation {
    private static final String PROPERTIES = "properties";
    private static final String ADDITIONAL = "additionalProperties";

    private SchemaValidation() {}

    /** Removes the fields that a schema does not have. Returns each as {@code unknown field "spec.foo"}. */
    public static List<String> prune(JsonNode schema, ObjectNode object) {
        List<String> unknown = new ArrayList<>();
        prune(schema, object, "", unknown);
        return unknown;
    }

    private static void prune(JsonNode schema, JsonNode value, String path, List<String> unknown) {
        if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            return;
        }
        if (value instanceof ObjectNode object && schema.has(PROPERTIES)) {
            for (String name : names(object)) {
                String place = path.isEmpty() ? name : path + "." + name;
                if (path.isEmpty() && name.equals("metadata")) {
                    continue;
                }
                if (schema.path(PROPERTIES).has(name)) {
                    prune(schema.path(PROPERTIES).path(name), object.path(name), place, unknown);
                } else {
                    object.remove(name);
                    unknown.add("unknown field \"" + place + "\"");
                }
            }
        }
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            prune(schema.path("items"), value.path(i), path + "[" + i + "]", unknown);
        }
    }

    private static List<String> names(ObjectNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Complains about each value that does not fit. */
    static void validate(JsonNode schema, ObjectField field) {
        validate(schema, field, "");
    }

    private static void validate(JsonNode schema, ObjectField field, String path) {
        JsonNode value = field.value();
        String type = schema.path("type").asText();
        if (!isOfType(value, type)) {
            String was = typeOf(value);
            field.invalid(was, path + " in body must be of type " + type + ": " + GoText.quote(was));
            return;
        }
        if (schema.has("enum")) {
            List<String> choices = new ArrayList<>();
            schema.path("enum").forEach(each -> choices.add(each.asText()));
            if (!choices.contains(value.asText())) {
                field.unsupported(choices);
            }
        }
        switch (type) {
            case "object" -> object(schema, field, path);
            case "array" -> array(schema, field, path);
            case "string" -> string(schema, field, path);
            case "integer" -> {
                if (schema.has("minimum")
                        && value.asLong() < schema.path("minimum").asLong()) {
                    field.invalid(path + " in body should be greater than or equal to "
                            + schema.path("minimum").asLong());
                }
                if (schema.has("maximum")
                        && value.asLong() > schema.path("maximum").asLong()) {
                    field.invalid(path + " in body should be less than or equal to "
                            + schema.path("maximum").asLong());
                }
            }
            default -> {}
        }
    }

    private static boolean isOfType(JsonNode value, String type) {
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            default -> true;
        };
    }

    private static String typeOf(JsonNode value) {
        return value.isIntegralNumber() ? "integer" : value.getNodeType().name().toLowerCase(Locale.ROOT);
    }

    private static void object(JsonNode schema, ObjectField field, String path) {
        atLeast(schema, "minProperties", PROPERTIES, field, path);
        if (schema.has("maxProperties")
                && field.value().size() > schema.path("maxProperties").asInt()) {
            field.tooMany(schema.path("maxProperties").asInt());
        }
        for (JsonNode required : schema.path("required")) {
            if (!field.value().has(required.asText())) {
                field.at(required.asText()).required("");
            }
        }
        for (String name : field.names()) {
            JsonNode ofField = schema.path(PROPERTIES).path(name);
            String place = path.isEmpty() ? name : path + "." + name;
            if (ofField.isObject()) {
                validate(ofField, field.at(name), place);
            } else if (schema.path(ADDITIONAL).isObject()) {
                validate(schema.path(ADDITIONAL), field.at(name), place);
            }
        }
    }

    private static void atLeast(JsonNode schema, String limit, String what, ObjectField field, String path) {
        int size = field.value().size();
        if (schema.has(limit) && size < schema.path(limit).asInt()) {
            field.showing(IntNode.valueOf(size))
                    .invalid(path + " in body should have at least "
                            + schema.path(limit).asInt() + " " + what);
        }
    }

    private static void array(JsonNode schema, ObjectField field, String path) {
        atLeast(schema, "minItems", "items", field, path);
        if (schema.has("maxItems")
                && field.value().size() > schema.path("maxItems").asInt()) {
            field.tooMany(schema.path("maxItems").asInt());
            return;
        }
        boolean isSet = schema.path("x-kubernetes-list-type").asText().equals("set");
        Set<JsonNode> seen = new HashSet<>();
        int i = 0;
        for (ObjectField item : field.items()) {
            validate(schema.path("items"), item, path + "[" + i++ + "]");
            if (isSet && !seen.add(item.value())) {
                item.duplicate();
            }
        }
    }

    private static void string(JsonNode schema, ObjectField field, String path) {
        String text = field.text();
        if (schema.has("maxLength")
                && text.codePointCount(0, text.length())
                        > schema.path("maxLength").asInt()) {
            field.tooLong(schema.path("maxLength").asInt());
        }
        String pattern = schema.path("pattern").asText();
        if (!pattern.isEmpty() && !Pattern.compile(pattern).matcher(text).find()) {
            field.invalid(path + " in body should match '" + pattern + "'");
        }
    }
}
