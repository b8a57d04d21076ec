package dev.nodepath.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;

/** Whole numbers in objects. Trees compare types too: equal numbers must have the same, however they came. */
public final class WholeNumber {
    private WholeNumber() {}

    /** A number as it is read from JSON. */
    public static JsonNode of(long number) {
        return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
    }
}
