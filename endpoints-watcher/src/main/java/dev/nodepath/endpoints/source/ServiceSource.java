package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.ServiceSnapshot;

/** Where Services, EndpointSlices and Nodes come from, followed as they change. */
public interface ServiceSource extends AutoCloseable {

    /**
     * Starts, once. The first snapshot comes when the source has listed everything, even if that is nothing; after that
     * one comes for every change.
     *
     * @throws SourceException if the source cannot be used at all; nothing is left behind then
     */
    void start(SnapshotListener listener) throws SourceException;

    /** The newest snapshot; empty before the first. */
    ServiceSnapshot snapshot();

    /** What was left out, and how the connections are doing. May be called by any thread at any time. */
    SourceStats stats();

    /** Ends; when this returns the listener is not called any more. */
    @Override
    void close();
}
