package dev.nodepath.report.form;

import java.util.Locale;

/** Text inside HTML and SVG. */
final class Html {
    private Html() {}

    /** The text with the characters replaced that mean something to a browser. */
    static String text(String plain) {
        return plain.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** Formats with a point as decimal mark; texts among the values must have been escaped. */
    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
