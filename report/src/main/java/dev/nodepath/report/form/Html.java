package dev.nodepath.report.form;

import java.util.Locale;

/** Text inside HTML and SVG. */
final class Html {
    private Html() {}

    /** Replaces the characters that have a meaning in HTML. */
    static String text(String plain) {
        return plain.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** Formats with a point as decimal mark; texts among the values must be escaped. */
    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
