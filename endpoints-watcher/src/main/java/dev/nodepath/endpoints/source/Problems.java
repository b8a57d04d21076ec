package dev.nodepath.endpoints.source;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The unusable fields of one object: their number by field, and the first one in words. */
public final class Problems {
    /** The longest text of a value in an error. */
    static final int MAX_VALUE_CHARS = 64;

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Pattern INDEX = Pattern.compile("\\[[^]]*]");

    private final Map<String, Integer> fields = new TreeMap<>();
    private String first = "";
    private String firstField = "";

    /** Makes an empty set. */
    public Problems() {}

    /** Adds a field with an unusable value; the field is empty for the whole object. */
    public void add(String field, Object was, String expected) {
        if (fields.isEmpty()) {
            String text = String.valueOf(was);
            String shown = text.length() <= MAX_VALUE_CHARS ? text : text.substring(0, MAX_VALUE_CHARS) + "...";
            add(field, (was instanceof String ? "\"" + shown + "\"" : shown) + " (expected: " + expected + ")");
        } else {
            count(field);
        }
    }

    /** Adds a problem of a field, in words. */
    public void add(String field, String problem) {
        if (fields.isEmpty()) {
            first = CONTROL.matcher((field.isEmpty() ? "" : field + ": ") + problem)
                    .replaceAll("?");
            firstField = field;
        }
        count(field);
    }

    private void count(String field) {
        fields.merge(INDEX.matcher(field).replaceAll(""), 1, Integer::sum);
    }

    /** The number of problems by field, without list indexes. */
    public Map<String, Integer> fields() {
        return fields;
    }

    /** The number of problems. */
    public int count() {
        return fields.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The first problem: the field, its value, and what was expected. */
    public String first() {
        return first;
    }

    /** The path of the field with the first problem. */
    public String firstField() {
        return firstField;
    }
}
