package dev.nodepath.bench.suite;

import dev.nodepath.report.SuiteResult;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The settings of a suite's run.
 *
 * @param rounds how often each contender has its turn at each thing
 * @param quick whether to measure for a shorter time, and fewer sizes
 * @param peers to compare with
 * @param kubeProxy a kube-proxy binary to measure beside, if there is one
 * @param progress says in a line what is being measured
 * @param keeper writes the results so far into the report
 */
public record SuiteSettings(
        int rounds,
        boolean quick,
        Peers peers,
        Optional<Path> kubeProxy,
        Consumer<String> progress,
        Consumer<SuiteResult> keeper) {

    /** Rounds of a full run. */
    public static final int ROUNDS = 5;

    /** Rounds of a quick run. */
    public static final int QUICK_ROUNDS = 3;

    /** Keeps the results so far: they are in the report from now on, marked partial until the suite ends. */
    public void keep(SuiteResult soFar) {
        keeper.accept(soFar);
    }

    /** Prints a line of progress. */
    public void say(String line) {
        progress.accept(line);
    }
}
