package dev.nodepath.bench;

import java.util.List;

/** One subject of measurement. It runs inside an enclosure: the network namespace and {@code /run} are its own. */
public interface Suite {
    /** What it is called on the command line. */
    String name();

    /**
     * Measures, each contender in turn within one run, so that what else the machine does meets all of them.
     *
     * @param rounds how often each thing is done; a figure is the median
     * @throws Exception if it cannot be measured, saying what is missing
     */
    List<Figure> run(int rounds) throws Exception;
}
