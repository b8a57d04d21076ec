package dev.nodepath.report.text;

/** Sentences in lines that fit a terminal. */
public final class Wrapped {
    /** The longest line. */
    public static final int WIDTH = 118;

    private Wrapped() {}

    /** The text after its first word or sign, in lines; those after the first are indented. A longer word stays whole. */
    public static String text(String start, String text) {
        StringBuilder lines = new StringBuilder(start);
        int column = start.length();
        for (String word : text.split(" ", -1)) {
            if (column > start.length() && column + 1 + word.length() > WIDTH) {
                lines.append("\n  ");
                column = 2;
            } else if (column > start.length()) {
                lines.append(' ');
                column++;
            }
            lines.append(word);
            column += word.length();
        }
        return lines.append('\n').toString();
    }
}
