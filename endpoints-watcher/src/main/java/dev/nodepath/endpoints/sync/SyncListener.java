package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Gets the result of each sync of a {@link SyncLoop}, on the loop's thread. */
public interface SyncListener {
    /** Does nothing. */
    SyncListener NONE = new SyncListener() {};

    /**
     * The snapshot is in force.
     *
     * @param waited how long the first of its changes had waited for the sync; empty if nothing had changed
     */
    default void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration, Optional<Duration> waited) {}

    /** The sync has failed. The next try comes after the wait, or sooner after a new change. */
    default void failed(Throwable error, Duration retryIn) {}

    /**
     * The sync has ended, with success or without. It follows one of the calls above.
     *
     * @param snapshot the snapshot of the sync
     * @param changed the changes since the last successful sync; the same changes come again after a failure
     * @param inForce the families with the snapshot in force; all families after a success, including those that are
     *     not served
     */
    default void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {}
}
