package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.util.Set;

/** Is told how each sync of a {@link SyncLoop} went, on the loop's thread. */
public interface SyncListener {
    /** Does nothing. */
    SyncListener NONE = new SyncListener() {};

    /** The snapshot is in force. */
    default void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration) {}

    /** It is not; the next try comes after the wait, or sooner if there is a new change. */
    default void failed(Throwable error, Duration retryIn) {}

    /**
     * The try is over, well or not; told after either of the above.
     *
     * @param snapshot what the proxy was asked for
     * @param changed since the last sync that did not fail, so the same changes come again after a failure
     * @param inForce the families that the snapshot is in force for; all, also those not served, if nothing failed
     */
    default void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {}
}
