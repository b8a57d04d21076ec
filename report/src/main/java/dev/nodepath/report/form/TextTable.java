package dev.nodepath.report.form;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.IntStream;

/** A table of text, its columns as wide as their widest cell; numbers stand at the right. */
public final class TextTable {
    private static final String SPACE = "  ";

    /** The narrowest column of words. */
    private static final int WORDS_MIN = 12;

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    /** A column: its heading, and whether it has numbers. */
    public record Column(String heading, boolean number) {}

    /** A table without rows. */
    public TextTable(List<Column> columns) {
        this.columns = List.copyOf(columns);
    }

    /** A column of words. */
    public static Column words(String heading) {
        return new Column(heading, false);
    }

    /** A column of numbers. */
    public static Column numbers(String heading) {
        return new Column(heading, true);
    }

    /** Adds a row with a cell for each column. */
    public void add(List<String> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException(cells.size() + " cells (expected: " + columns.size() + ")");
        }
        rows.add(List.copyOf(cells));
    }

    /** The table as text, however wide it is. */
    public String toText() {
        return text(widths());
    }

    /** The table in lines that fit a terminal: too long words are cut. */
    public String toTerminal() {
        int[] widths = widths();
        int excess = IntStream.of(widths).sum() + SPACE.length() * (widths.length - 1) - Wrapped.WIDTH;
        while (excess > 0) {
            int widest = widestWords(widths);
            if (widest < 0) {
                break;
            }
            int cut = Math.min(excess, Math.max(1, widths[widest] - WORDS_MIN));
            widths[widest] -= cut;
            excess -= cut;
        }
        return text(widths);
    }

    /** The widest column of words; -1 if none can be made narrower. */
    private int widestWords(int[] widths) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            if (!columns.get(i).number() && widths[i] > WORDS_MIN && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private String text(int[] widths) {
        StringBuilder text = new StringBuilder();
        text.append(line(headings(), widths)).append('\n');
        rows.forEach(row -> text.append(line(row, widths)).append('\n'));
        return text.toString();
    }

    /** The table in Markdown. */
    public String toMarkdown() {
        StringBuilder text = new StringBuilder();
        text.append("| ").append(String.join(" | ", headings())).append(" |\n|");
        columns.forEach(column -> text.append(column.number() ? " ---: |" : " --- |"));
        text.append('\n');
        rows.forEach(row -> text.append("| ").append(String.join(" | ", row)).append(" |\n"));
        return text.toString();
    }

    private List<String> headings() {
        return columns.stream().map(Column::heading).toList();
    }

    private String line(List<String> cells, int[] widths) {
        StringJoiner line = new StringJoiner(SPACE);
        for (int i = 0; i < cells.size(); i++) {
            String cell = cut(cells.get(i), widths[i]);
            String space = " ".repeat(widths[i] - cell.length());
            line.add(columns.get(i).number() ? space + cell : cell + space);
        }
        return line.toString().stripTrailing();
    }

    private static String cut(String cell, int width) {
        return cell.length() > width ? cell.substring(0, width - 1) + "…" : cell;
    }

    private int[] widths() {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = columns.get(i).heading().length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }
}
