package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The place of a value, in the words of Go's JSON decoder.
 *
 * @param owner the type that has the field
 * @param name of the field
 * @param type of the field
 * @param goPath the names of the fields from the object to this one
 */
record Place(StructType owner, String name, FieldType type, String goPath) {

    Traits traits() {
        return owner.traits(name);
    }

    /** The type of one value in Go. */
    String goElement() {
        if (!traits().goType().isEmpty()) {
            return traits().goType();
        }
        if (type.isStruct()) {
            return "v1." + type.element().substring(type.element().lastIndexOf('.') + 1);
        }
        return switch (type.element()) {
            case "boolean" -> "bool";
            case "time" -> "v1.Time";
            case "microTime" -> "v1.MicroTime";
            case "quantity" -> "resource.Quantity";
            case "intOrString" -> "intstr.IntOrString";
            case "bytes" -> "[]uint8";
            default -> type.element();
        };
    }

    MistypedException mistyped(JsonNode value, String goType) {
        return mistyped(kind(value), goType);
    }

    MistypedException mistyped(String kind, String goType) {
        return new MistypedException("json: cannot unmarshal " + kind + " into Go struct field " + owner.simpleName()
                + "." + goPath + " of type " + goType);
    }

    static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> "string";
            case NUMBER -> "number";
            case BOOLEAN -> "bool";
            case ARRAY -> "array";
            default -> "object";
        };
    }
}
