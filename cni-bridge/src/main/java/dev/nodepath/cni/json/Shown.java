package dev.nodepath.cni.json;

/** Values as messages repeat them. */
public final class Shown {
    /** The longest value that a message repeats, in characters. */
    private static final int LENGTH_MAX = 80;

    private Shown() {}

    /** A text in quotes. */
    public static String text(String text) {
        return "\"" + cut(text) + "\"";
    }

    /** The beginning of a long text. */
    static String cut(String text) {
        return text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "..." : text;
    }
}
