package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;

/** A proxy mode, as the watcher sees it. */
public interface ServiceProxy extends AutoCloseable {

    /**
     * Brings a snapshot into force, in the kernel or in the proxy's listeners. Called by one thread at a time. The
     * change set is a hint. A proxy that has lost its state applies the whole snapshot.
     *
     * @param desired the snapshot that is in force when this returns
     * @param changed the difference from the snapshot of the last successful call
     * @throws SyncException if the snapshot is not in force; the caller tries again later
     */
    void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException;

    /**
     * The number of full syncs of a family: at the start, after a failure, and after other programs have changed the
     * tables. Connections may have missed rules before a full sync. Called by the syncing thread.
     */
    default long fullSyncs(IpFamily family) {
        return 0;
    }

    /** Frees the resources of this process. Rules that work without the process stay in place. */
    @Override
    void close();
}
