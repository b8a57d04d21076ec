package dev.nodepath.endpoints.source.kubernetes;

/** What of one object could not be used: how many things, and the first one in words. */
final class Problems {
    /** What is shown of a value that somebody else wrote. */
    static final int MAX_VALUE_CHARS = 64;

    private int count;
    private String first = "";

    /** A field whose value cannot be used. */
    void add(String field, Object was, String expected) {
        if (count++ == 0) {
            String text = String.valueOf(was);
            String shown = text.length() <= MAX_VALUE_CHARS ? text : text.substring(0, MAX_VALUE_CHARS) + "...";
            first = field + ": " + (was instanceof String ? "\"" + shown + "\"" : shown) + " (expected: " + expected
                    + ")";
        }
    }

    int count() {
        return count;
    }

    String first() {
        return first;
    }
}
