package dev.nodepath.report.form;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A table with rows in blocks, each under a line of its own, so that long names need no column. */
final class BlockTable {
    private final TextTable table;
    private final Map<Integer, String> headings = new TreeMap<>();
    private int rows;

    BlockTable(List<TextTable.Column> columns) {
        this.table = new TextTable(columns);
    }

    void begin(String heading) {
        headings.put(rows, heading);
    }

    /** Adds a row to the block; the first cell is indented. */
    void add(List<String> cells) {
        List<String> row = new ArrayList<>(cells);
        row.set(0, "  " + cells.get(0));
        table.add(row);
        rows++;
    }

    /** The blocks, in lines that fit a terminal. */
    String toTerminal() {
        List<String> lines = table.toTerminal().lines().toList();
        StringBuilder text = new StringBuilder(lines.get(0)).append('\n');
        for (int row = 0; row <= rows; row++) {
            if (headings.containsKey(row)) {
                text.append(Wrapped.text("", headings.get(row)));
            }
            if (row < rows) {
                text.append(lines.get(row + 1)).append('\n');
            }
        }
        return text.toString();
    }
}
