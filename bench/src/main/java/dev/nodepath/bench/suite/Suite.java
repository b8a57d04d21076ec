package dev.nodepath.bench.suite;

import dev.nodepath.report.SuiteResult;

/** One subject of measurement. It runs inside an enclosure: the network namespace and {@code /run} are its own. */
public interface Suite {
    /** The suite's name on the command line. */
    String name();

    /**
     * Measures the contenders in turn within each round, so that other load of the machine affects all of them. Calls
     * {@link SuiteSettings#keep} at the end of each round.
     *
     * @throws Exception if it cannot measure; the message names the missing part, and earlier rounds stay in the
     *     report. A peer that is missing or fails is left out with a note
     */
    SuiteResult run(SuiteSettings settings) throws Exception;
}
