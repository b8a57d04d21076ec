package dev.nodepath.page;

import java.io.IOException;

/** What the links of the cluster carry. Both methods are called on one thread. */
public interface PageRates {
    /**
     * Reads it: the mean since the last call. Called once a second, and only while somebody follows the page's events.
     *
     * @return no part at all the first time
     * @throws IOException if it cannot be read
     */
    Rates read() throws IOException;

    /** Nobody follows the events any more. What was kept for the next reading may go. */
    void rest();
}
