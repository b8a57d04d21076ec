package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.ServiceSnapshot;

/** A source of Services, EndpointSlices and Nodes. It follows their changes. */
public interface ServiceSource extends AutoCloseable {

    /**
     * Starts the source. Called once. The first snapshot comes when the source has listed everything, even if it is
     * empty. After that, each change gives a snapshot.
     *
     * @throws SourceException if the source cannot be used; then it has freed everything
     */
    void start(SnapshotListener listener) throws SourceException;

    /** The newest snapshot; empty before the first. */
    ServiceSnapshot snapshot();

    /** The skipped objects, and the state of the connections. Thread-safe. */
    SourceStats stats();

    /** Ends the source. After this returns, the listener gets no call. */
    @Override
    void close();
}
