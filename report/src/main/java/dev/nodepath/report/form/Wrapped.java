package dev.nodepath.report.form;

/** Sentences in lines that fit a terminal. */
public final class Wrapped {
    /** The longest line. */
    public static final int WIDTH = 118;

    private static final int INDENT = 2;
    private static final String NEXT = "\n" + " ".repeat(INDENT);

    private Wrapped() {}

    /**
     * The text after its first word or sign, in lines; all lines after the first are indented. A longer word is
     * broken.
     */
    public static String text(String start, String text) {
        if (start.length() > WIDTH) {
            return text("", start + text);
        }
        StringBuilder lines = new StringBuilder(start);
        int column = start.length();
        boolean first = true;
        for (String word : text.split(" ", -1)) {
            if (!first && column + 1 + word.length() > WIDTH) {
                lines.append(NEXT);
                column = INDENT;
            } else if (!first) {
                lines.append(' ');
                column++;
            }
            first = false;
            String rest = word;
            while (column + rest.length() > WIDTH) {
                int fits = Math.max(1, WIDTH - column);
                lines.append(rest, 0, fits).append(NEXT);
                rest = rest.substring(fits);
                column = INDENT;
            }
            lines.append(rest);
            column += rest.length();
        }
        return lines.append('\n').toString();
    }
}
