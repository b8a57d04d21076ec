package dev.nodepath.page;

import java.io.IOException;

/** The traffic of the cluster's links. Both methods are called on one thread. */
public interface PageRates {
    /**
     * Reads the mean since the last call. Called once a second, and only while a reader follows the page's events.
     *
     * @return the first time without any part
     * @throws IOException if the traffic cannot be read
     */
    Rates read() throws IOException;

    /** No reader follows the events any more. Data for the next reading may be dropped. */
    void rest();
}
