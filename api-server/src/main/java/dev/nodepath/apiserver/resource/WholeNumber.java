package dev.nodepath.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;

/**
 * Whole numbers in objects. Equality of trees includes types, so equal numbers must have one type, from whatever
 * source.
 */
public final class WholeNumber {
    private WholeNumber() {}

    /** A number with the type that a parser of JSON gives it. */
    public static JsonNode of(long number) {
        return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
    }
}
