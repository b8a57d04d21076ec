package dev.nodepath.apiserver.schema;

/**
 * The type of a field: one value, a list of them, or a map from strings to them.
 *
 * @param container whether there is one value or several
 * @param element a type of {@link Schema}, or a scalar: {@code string}, {@code int32}, {@code int64}, {@code boolean},
 *     {@code time}, {@code microTime}, {@code quantity}, {@code intOrString}, {@code bytes}, {@code object} (any JSON)
 */
public record FieldType(Container container, String element) {
    /** One value or several. */
    public enum Container {
        ONE,
        LIST,
        MAP
    }

    /** Reads {@code int32}, {@code []core.v1.Container} or {@code {}string}. */
    static FieldType parse(String text) {
        if (text.startsWith("[]")) {
            return new FieldType(Container.LIST, text.substring(2));
        }
        if (text.startsWith("{}")) {
            return new FieldType(Container.MAP, text.substring(2));
        }
        return new FieldType(Container.ONE, text);
    }

    /** Whether its values are objects with fields of their own. */
    public boolean isStruct() {
        return element.contains(".");
    }
}
