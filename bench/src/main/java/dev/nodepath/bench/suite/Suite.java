package dev.nodepath.bench.suite;

import dev.nodepath.report.SuiteResult;

/** One subject of measurement. It runs inside an enclosure: the network namespace and {@code /run} are its own. */
public interface Suite {
    /** What it is called on the command line. */
    String name();

    /**
     * Measures, each contender in turn within one round, so that what else the machine does meets all of them. What has been
     * measured is given to {@link SuiteSettings#keep} at each round's end.
     *
     * @throws Exception if it cannot be measured, saying what is missing; what was kept until then stays in the report. A
     *     peer that is missing or fails is no reason: it is left out, and a note says why
     */
    SuiteResult run(SuiteSettings settings) throws Exception;
}
