package dev.nodepath.report.form;

import static dev.nodepath.report.form.TextTable.numbers;
import static dev.nodepath.report.form.TextTable.words;

import dev.nodepath.report.ReportDiff;
import dev.nodepath.report.ReportDiff.Change;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The differences between two reports, as text for a terminal. */
public final class DiffText {
    private DiffText() {}

    /** The changes beyond the spread, the worst first, and the parts that could not be compared. */
    public static String render(ReportDiff diff) {
        StringBuilder text = new StringBuilder();
        List<Change> significant = diff.significant().stream()
                .sorted(Comparator.comparingDouble(Change::worse).reversed())
                .toList();
        if (!significant.isEmpty()) {
            text.append(table(significant).toTerminal());
        }
        text.append(significant.size() + " of " + diff.changes().size() + " figures changed beyond their spread.\n");
        diff.notes().forEach(note -> text.append(Wrapped.text("- ", note)));
        return text.toString();
    }

    private static BlockTable table(List<Change> changes) {
        BlockTable table =
                new BlockTable(List.of(words(""), numbers("first"), numbers("second"), numbers("change"), words("")));
        String last = "";
        for (Change change : changes) {
            String unit = change.ratio()
                    ? "x " + change.figure().baseline()
                    : change.figure().unit();
            String heading = change.suite() + ": " + change.figure().title() + ", " + unit;
            if (!heading.equals(last)) {
                table.begin(heading);
                last = heading;
            }
            table.add(List.of(
                    change.contender(),
                    Numbers.of(change.before().median()),
                    Numbers.of(change.after().median()),
                    String.format(Locale.ROOT, "%+.1f %%", change.part() * 100),
                    change.worse() > 0 ? "worse" : "better"));
        }
        return table;
    }
}
