package dev.nodepath.page;

import java.io.IOException;

/** The flows of the cluster. */
@FunctionalInterface
public interface PageFlows {
    /**
     * Reads it. Called on one thread, and only while a reader asks for flows.
     *
     * @throws IOException if the flows cannot be read
     */
    FlowList read() throws IOException;
}
