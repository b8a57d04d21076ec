package dev.nodepath.page;

import java.io.IOException;

/** Who talks to whom in the cluster. */
@FunctionalInterface
public interface PageFlows {
    /**
     * Reads it. Called on one thread, and only while somebody asks for it.
     *
     * @throws IOException if it cannot be read
     */
    FlowList read() throws IOException;
}
