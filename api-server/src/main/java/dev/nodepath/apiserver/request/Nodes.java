package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import java.util.Locale;

/** Values of trees, and words about them. */
public final class Nodes {
    private Nodes() {}

    /** A whole number as it is read from JSON. Trees compare types too: equal numbers must have the same. */
    public static JsonNode whole(long number) {
        return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
    }

    /** What a node is, for errors: {@code an array}, {@code a string}, ... */
    public static String typeOf(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> "an object";
            case ARRAY -> "an array";
            case MISSING -> "nothing";
            case NULL -> "null";
            default -> "a " + node.getNodeType().name().toLowerCase(Locale.ROOT);
        };
    }
}
