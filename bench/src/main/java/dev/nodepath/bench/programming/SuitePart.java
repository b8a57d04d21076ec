package dev.nodepath.bench.programming;

/** A part of a suite. */
interface SuitePart {
    /**
     * Measures all rounds.
     *
     * @param keep called at the end of each round
     */
    void measure(Runnable keep) throws Exception;

    /** The results so far. */
    Measured measured();
}
