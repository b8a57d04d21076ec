package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** Helpers for values of trees, and words about them. */
public final class Nodes {
    private Nodes() {}

    /** The type of a node, for errors: {@code an array}, {@code a string}, ... */
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
