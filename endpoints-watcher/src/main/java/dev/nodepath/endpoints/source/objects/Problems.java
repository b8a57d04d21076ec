package dev.nodepath.endpoints.source.objects;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What of one object could not be used: how many things by field, and the first one in words. */
public final class Problems {
    /** What is shown of a value that somebody else wrote. */
    static final int MAX_VALUE_CHARS = 64;

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Pattern INDEX = Pattern.compile("\\[[^]]*]");

    private final Map<String, Integer> fields = new TreeMap<>();
    private String first = "";

    /** None so far. */
    public Problems() {}

    /** A field whose value cannot be used. */
    public void add(String field, Object was, String expected) {
        if (fields.isEmpty()) {
            String text = CONTROL.matcher(String.valueOf(was)).replaceAll("?");
            String shown = text.length() <= MAX_VALUE_CHARS ? text : text.substring(0, MAX_VALUE_CHARS) + "...";
            first = field + ": " + (was instanceof String ? "\"" + shown + "\"" : shown) + " (expected: " + expected
                    + ")";
        }
        count(field);
    }

    /** An object that cannot be used at all, in words that name the field. */
    public void add(String field, String problem) {
        if (fields.isEmpty()) {
            first = problem;
        }
        count(field);
    }

    private void count(String field) {
        fields.merge(INDEX.matcher(field).replaceAll(""), 1, Integer::sum);
    }

    /** How many there are of each field, whose name is without any index. */
    public Map<String, Integer> fields() {
        return fields;
    }

    /** How many there are. */
    public int count() {
        return fields.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The first one: field, what it was, what was expected. */
    public String first() {
        return first;
    }
}
