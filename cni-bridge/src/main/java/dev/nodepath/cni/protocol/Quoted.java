package dev.nodepath.cni.protocol;

/** Formats values for messages. */
public final class Quoted {
    /** The longest value in a message, in characters. */
    private static final int LENGTH_MAX = 80;

    private Quoted() {}

    /** A text in quotes. */
    public static String text(String text) {
        return "\"" + cut(text) + "\"";
    }

    /** The beginning of a long text. */
    static String cut(String text) {
        return text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "..." : text;
    }
}
