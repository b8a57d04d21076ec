package dev.nodepath.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The differences between two reports.
 *
 * @param changes of the figures in both reports, in the order of the first
 * @param notes parts that cannot be compared, a sentence each
 */
public record ReportDiff(List<Change> changes, List<String> notes) {
    /**
     * One contender's figure in both reports. With a baseline the ratios are compared, because a slower machine does
     * not change them; otherwise the values.
     *
     * @param suite the figure's
     * @param figure the measured quantity
     * @param contender of whom
     * @param ratio whether ratios are compared
     * @param before its samples in the first report
     * @param after its samples in the second report
     */
    public record Change(String suite, Figure figure, String contender, boolean ratio, Samples before, Samples after) {
        /** The increase of the median, as a part of the first median. */
        public double part() {
            return (after.median() - before.median()) / Math.abs(before.median());
        }

        /** The deterioration, as a part of the first median; below zero for an improvement. */
        public double worse() {
            return figure.lowerIsBetter() ? part() : -part();
        }

        /** Whether each report has a spread: one round has none. */
        public boolean hasSpread() {
            return before.measured().size() > 1 && after.measured().size() > 1;
        }

        /** Whether the ranges of the two reports do not overlap, so that the change is hardly random. */
        public boolean beyondSpread() {
            return hasSpread() && (after.min() > before.max() || after.max() < before.min());
        }
    }

    public ReportDiff {
        changes = List.copyOf(changes);
        notes = List.copyOf(notes);
    }

    /** Compares two reports. */
    public static ReportDiff of(Report first, Report second) {
        List<Change> changes = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (String fact : first.environment().facts().keySet()) {
            String before = first.environment().facts().get(fact);
            String after = second.environment().facts().getOrDefault(fact, "not there");
            if (!after.equals(before)) {
                notes.add(fact + ": " + before + " in the first, " + after + " in the second.");
            }
        }
        for (SuiteResult suite : first.suites()) {
            Optional<SuiteResult> other = second.suites().stream()
                    .filter(each -> each.name().equals(suite.name()))
                    .findFirst();
            if (other.isEmpty()) {
                notes.add("Suite " + suite.name() + " is in the first only.");
            } else {
                compare(suite, other.get(), changes, notes);
                unsteady(suite, other.get()).ifPresent(notes::add);
            }
        }
        for (SuiteResult suite : second.suites()) {
            if (first.suites().stream().noneMatch(each -> each.name().equals(suite.name()))) {
                notes.add("Suite " + suite.name() + " is in the second only.");
            }
        }
        long single = changes.stream().filter(change -> !change.hasSpread()).count();
        if (single > 0) {
            notes.add(single + " figures have one round, which has no spread: not compared.");
        }
        return new ReportDiff(changes, notes);
    }

    /** The changes beyond the spread. */
    public List<Change> significant() {
        return changes.stream().filter(Change::beyondSpread).toList();
    }

    private static Optional<String> unsteady(SuiteResult first, SuiteResult second) {
        double before = widest(first);
        double after = widest(second);
        boolean inFirst = before > Doubts.SPREAD_MAX;
        boolean inSecond = after > Doubts.SPREAD_MAX;
        String where = inFirst && inSecond ? "both" : inFirst ? "the first" : "the second";
        return inFirst || inSecond
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "Suite %s is unstable in %s: rounds lie up to %.0f %% of the median apart in the first, and %.0f %%"
                                + " in the second. A difference may be the machine's.",
                        first.name(),
                        where,
                        before * 100,
                        after * 100))
                : Optional.empty();
    }

    private static double widest(SuiteResult suite) {
        return suite.figures().stream()
                .mapToDouble(Figure::widestSpread)
                .filter(Double::isFinite)
                .max()
                .orElse(0);
    }

    private static void compare(SuiteResult first, SuiteResult second, List<Change> changes, List<String> notes) {
        for (Figure figure : first.figures()) {
            Optional<Figure> other = figure(second, figure.title());
            if (other.isEmpty() || !other.get().unit().equals(figure.unit())) {
                notes.add(first.name() + ", " + figure.title() + ": in the first only.");
                continue;
            }
            for (String contender : figure.byContender().keySet()) {
                compare(first.name(), figure, other.get(), contender, changes, notes);
            }
        }
        for (Figure figure : second.figures()) {
            if (figure(first, figure.title()).isEmpty()) {
                notes.add(first.name() + ", " + figure.title() + ": in the second only.");
            }
        }
    }

    private static void compare(
            String suite, Figure first, Figure second, String contender, List<Change> changes, List<String> notes) {
        Optional<Samples> firstRatio = first.ratio(contender);
        Optional<Samples> secondRatio =
                first.baseline().equals(second.baseline()) ? second.ratio(contender) : Optional.empty();
        boolean ratio = firstRatio.isPresent() && secondRatio.isPresent();
        Samples before = ratio ? firstRatio.get() : first.samples(contender);
        Samples after = ratio ? secondRatio.get() : second.samples(contender);
        if (before.measured().isEmpty() || after.measured().isEmpty()) {
            String where = before.measured().isEmpty() ? "first" : "second";
            notes.add(suite + ", " + first.title() + ", " + contender + ": not measured in the " + where + ".");
            return;
        }
        changes.add(new Change(suite, first, contender, ratio, before, after));
    }

    private static Optional<Figure> figure(SuiteResult suite, String title) {
        return suite.figures().stream()
                .filter(figure -> figure.title().equals(title))
                .findFirst();
    }
}
