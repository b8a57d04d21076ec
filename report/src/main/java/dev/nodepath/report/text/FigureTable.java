package dev.nodepath.report.text;

import static dev.nodepath.report.text.TextTable.numbers;
import static dev.nodepath.report.text.TextTable.words;

import dev.nodepath.report.Figure;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A suite's figures as tables: one line for each contender, or one for each figure with a column for each contender. */
final class FigureTable {
    private FigureTable() {}

    /** A line for each contender of each figure: narrow enough for a terminal. */
    static TextTable lines(SuiteResult suite) {
        TextTable table = new TextTable(List.of(
                words("figure"),
                words("unit"),
                words("contender"),
                numbers("median"),
                numbers("min to max"),
                numbers("spread"),
                numbers("ratio"),
                words("target")));
        for (Figure figure : suite.figures()) {
            boolean first = true;
            for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
                boolean aimed = figure.target()
                        .filter(target -> target.contender().equals(entry.getKey()))
                        .isPresent();
                Samples samples = entry.getValue();
                table.add(List.of(
                        first ? figure.title() : "",
                        first ? figure.unit() : "",
                        entry.getKey(),
                        Numbers.of(samples.median()),
                        Numbers.range(samples),
                        Numbers.percent(samples.spread()),
                        FigureText.ratio(figure, entry.getKey()),
                        aimed ? FigureText.target(figure) + ", " + FigureText.outcome(figure) : ""));
                first = false;
            }
        }
        return table;
    }

    /** A line for each figure. */
    static TextTable columns(SuiteResult suite) {
        Set<String> contenders = new LinkedHashSet<>();
        suite.figures().forEach(figure -> contenders.addAll(figure.byContender().keySet()));
        List<TextTable.Column> columns = new ArrayList<>(List.of(words("figure"), words("unit")));
        contenders.forEach(contender -> columns.add(numbers(contender)));
        columns.add(words("target"));
        TextTable table = new TextTable(columns);
        for (Figure figure : suite.figures()) {
            List<String> row = new ArrayList<>(List.of(figure.title(), figure.unit()));
            contenders.forEach(contender -> row.add(cell(figure, contender)));
            String target = FigureText.target(figure);
            row.add(target.isEmpty() ? "" : target + ", " + FigureText.outcome(figure));
            table.add(row);
        }
        return table;
    }

    private static String cell(Figure figure, String contender) {
        if (!figure.byContender().containsKey(contender)) {
            return "";
        }
        Samples samples = figure.samples(contender);
        String range = Numbers.range(samples);
        String ratio = FigureText.ratio(figure, contender);
        return "**" + Numbers.of(samples.median()) + "**" + (range.isEmpty() ? "" : " (" + range + ")")
                + (ratio.isEmpty() ? "" : ", " + ratio);
    }
}
