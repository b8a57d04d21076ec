package dev.nodepath.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Tells why the results of a run are doubtful, in plain words. */
public final class Doubts {
    /** Values whose spread is a larger part of their median are not stable. */
    public static final double SPREAD_MAX = 0.10;

    /**
     * A ratio whose rounds have a larger spread is open. The smallest and the largest of five or more rounds are left
     * out.
     */
    public static final double RATIO_SPREAD_MAX = 0.30;

    /** Fewer rounds tell little about the spread. */
    public static final int ROUNDS_MIN = 5;

    private static final double LOAD_PER_CORE_MAX = 0.5;
    private static final double OTHERS_PER_CORE_MAX = 0.1;
    private static final double STOLEN_MAX = 0.01;
    private static final double THROTTLED_MAX = 0.01;
    private static final int CORES_MIN = 2;
    /** The least load that one decimal shows. */
    private static final double LOAD_SHOWN = 0.05;

    private static final int NAMES_MAX = 3;

    private Doubts() {}

    /** A sentence or two for each doubt, the gravest first; empty if there is none. */
    public static List<String> of(Report report) {
        List<String> doubts = ofRun(report);
        report.suites().forEach(suite -> rounds(suite, doubts));
        report.suites().forEach(suite -> spread(suite, doubts));
        return doubts;
    }

    /** The doubts about the whole run, without those about the rounds of its suites. */
    public static List<String> ofRun(Report report) {
        List<String> doubts = new ArrayList<>();
        if (report.partial()) {
            doubts.add("This run did not come to its end: what follows is what had been measured until then.");
        }
        for (SuiteResult suite : report.suites()) {
            if (suite.partial() && !report.partial()) {
                doubts.add("Suite " + suite.name()
                        + " did not come to its end; what it had measured until then is shown.");
            }
        }
        machine(report, doubts);
        return doubts;
    }

    /** The doubts about one suite's figures: too few rounds, or rounds far apart. */
    public static List<String> of(SuiteResult suite) {
        List<String> doubts = new ArrayList<>();
        rounds(suite, doubts);
        spread(suite, doubts);
        return doubts;
    }

    private static void machine(Report report, List<String> doubts) {
        int cores = report.environment().cores();
        Conditions seen = report.environment().conditions();
        if (cores < CORES_MIN) {
            doubts.add(
                    "The machine has one core: client, proxy and server take turns on it, so latencies are those of waiting"
                            + " for the core. Two or more are expected.");
        }
        boolean load = seen.loadAtStart() > LOAD_PER_CORE_MAX * cores;
        if (seen.othersAtStart() > OTHERS_PER_CORE_MAX * cores || (load && !isShownAsZero(seen.othersAtStart()))) {
            doubts.add(format(
                    "Other programs were running: before the start they used %.1f of %d cores, and the load average was %.1f.",
                    seen.othersAtStart(), cores, seen.loadAtStart()));
        } else if (seen.loadAtStart() >= cores + LOAD_SHOWN) {
            // It is a mean of the last minute: its cause may have ended, or may go on.
            doubts.add(format(
                    "The load average at the start was %.1f, with %d cores: in the minute before, more programs wanted to"
                            + " run or waited for a disk than there are cores.",
                    seen.loadAtStart(), cores));
        }
        if (seen.stolen() > STOLEN_MAX) {
            doubts.add(format(
                    "The machine is virtual, and its host took %.0f %% of the processor time away during the run.",
                    seen.stolen() * 100));
        }
        if (seen.throttledSeconds() > THROTTLED_MAX * report.took().toMillis() / 1e3
                && !isShownAsZero(seen.throttledSeconds())) {
            doubts.add(format(
                    "The run was throttled: its control group was kept off the cores for %.1f s.",
                    seen.throttledSeconds()));
        }
        if (seen.throttledByHeat() > 0) {
            doubts.add(format(
                    "The processor slowed down %.0f times because of its temperature or power.",
                    seen.throttledByHeat()));
        }
    }

    /** Whether a sentence with one decimal would show 0.0. */
    private static boolean isShownAsZero(double value) {
        return value < 0.05;
    }

    private static void rounds(SuiteResult suite, List<String> doubts) {
        int rounds = suite.figures().stream()
                .flatMap(figure -> figure.byContender().values().stream())
                .mapToInt(samples -> samples.measured().size())
                .filter(count -> count > 0)
                .max()
                .orElse(ROUNDS_MIN);
        if (rounds < ROUNDS_MIN) {
            doubts.add(format(
                    "Suite %s has %s: %s",
                    suite.name(),
                    rounds == 1 ? "one round" : rounds + " rounds",
                    rounds == 1
                            ? "how far its figures would spread is not known."
                            : "at least " + ROUNDS_MIN + " are needed to say how far its figures spread."));
        }
    }

    private static void spread(SuiteResult suite, List<String> doubts) {
        List<Figure> wide = suite.figures().stream()
                .filter(figure -> figure.widestSpread() > SPREAD_MAX)
                .sorted(Comparator.comparingDouble(Figure::widestSpread).reversed())
                .toList();
        if (wide.isEmpty()) {
            return;
        }
        String names = wide.stream()
                .limit(NAMES_MAX)
                .map(figure -> format("%s (%.0f %%)", figure.title(), figure.widestSpread() * 100))
                .collect(Collectors.joining(", "));
        doubts.add(format(
                "Suite %s is unstable: in %d of %d figures a contender's rounds lie more than %.0f %% of the median apart, most in %s.",
                suite.name(), wide.size(), suite.figures().size(), SPREAD_MAX * 100, names));
        long open = suite.figures().stream()
                .mapToLong(figure -> figure.byContender().keySet().stream()
                        .filter(contender -> !figure.isSteady(contender))
                        .count())
                .sum();
        if (open > 0) {
            doubts.add(format(
                    "%d of its ratios, marked with ?, %s of rounds that lie more than %.0f %% apart, the outermost left out: read nothing from %s.",
                    open, open == 1 ? "is" : "are", RATIO_SPREAD_MAX * 100, open == 1 ? "it" : "them"));
        }
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
