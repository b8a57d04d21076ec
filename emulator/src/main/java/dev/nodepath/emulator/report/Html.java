package dev.nodepath.emulator.report;

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
}
