package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;

/** The seam between the watcher and a proxy mode. */
public interface ServiceProxy extends AutoCloseable {

    /**
     * Makes the kernel, or the proxy's listeners, hold the snapshot. Called by one thread at a time. The change set is a
     * hint of what to look at; a proxy that has lost its state brings everything in line.
     *
     * @param desired what must hold when this returns
     * @param changed what differs from the snapshot of the last call that returned
     * @throws SyncException if it does not hold; the caller tries again later
     */
    void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException;

    /**
     * How often all rules of a family were brought into force: at first, after a failure, and when others had changed the
     * tables. Traffic may have passed rules that were missing until then. Asked by the thread that syncs.
     */
    default long fullSyncs(IpFamily family) {
        return 0;
    }

    /** Frees what this process holds, and leaves in place what carries traffic without it. */
    @Override
    void close();
}
