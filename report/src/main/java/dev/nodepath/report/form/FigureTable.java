package dev.nodepath.report.form;

import static dev.nodepath.report.form.TextTable.numbers;
import static dev.nodepath.report.form.TextTable.words;

import dev.nodepath.report.Figure;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A suite's figures as tables: one line for each contender, or one for each figure with a column for each contender.
 */
final class FigureTable {
    private FigureTable() {}

    /**
     * A line for each figure's name and target, and below it a line for each contender: narrow enough for a terminal.
     */
    static String lines(SuiteResult suite) {
        BlockTable table = new BlockTable(
                List.of(words(""), numbers("median"), numbers("min to max"), numbers("spread"), numbers("ratio")));
        for (Figure figure : suite.figures()) {
            String target = figure.target().isEmpty()
                    ? ""
                    : "; " + FigureText.target(figure) + ", " + FigureText.outcome(figure);
            table.begin(figure.title() + ", " + figure.unit() + target);
            for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
                Samples samples = entry.getValue();
                table.add(List.of(
                        entry.getKey(),
                        Numbers.of(samples.median()),
                        Numbers.range(samples),
                        Numbers.percent(samples.spread()),
                        FigureText.ratio(figure, entry.getKey())));
            }
        }
        return table.toTerminal();
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
