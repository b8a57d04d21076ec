package dev.nodepath.endpoints.source.kubernetes;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What of one object could not be used: how many things by field, and the first one in words. */
final class Problems {
    /** What is shown of a value that somebody else wrote. */
    static final int MAX_VALUE_CHARS = 64;

    private static final Pattern INDEX = Pattern.compile("\\[[^]]*]");

    private final Map<String, Integer> fields = new TreeMap<>();
    private String first = "";

    /** A field whose value cannot be used. */
    void add(String field, Object was, String expected) {
        if (fields.isEmpty()) {
            String text = String.valueOf(was);
            String shown = text.length() <= MAX_VALUE_CHARS ? text : text.substring(0, MAX_VALUE_CHARS) + "...";
            first = field + ": " + (was instanceof String ? "\"" + shown + "\"" : shown) + " (expected: " + expected
                    + ")";
        }
        fields.merge(INDEX.matcher(field).replaceAll(""), 1, Integer::sum);
    }

    /** How many there are of each field, whose name is without any index. */
    Map<String, Integer> fields() {
        return fields;
    }

    int count() {
        return fields.values().stream().mapToInt(Integer::intValue).sum();
    }

    String first() {
        return first;
    }
}
