package dev.nodepath.report.text;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** A table of text, its columns as wide as their widest cell; numbers stand at the right. */
public final class TextTable {
    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    /** A column: its heading, and whether it holds numbers. */
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

    /** The table as text for a terminal. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        text.append(line(headings())).append('\n');
        rows.forEach(row -> text.append(line(row)).append('\n'));
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

    private String line(List<String> cells) {
        StringJoiner line = new StringJoiner("  ");
        for (int i = 0; i < cells.size(); i++) {
            String space = " ".repeat(width(i) - cells.get(i).length());
            line.add(columns.get(i).number() ? space + cells.get(i) : cells.get(i) + space);
        }
        return line.toString().stripTrailing();
    }

    private int width(int column) {
        int width = columns.get(column).heading().length();
        for (List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
        }
        return width;
    }
}
