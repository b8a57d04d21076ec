package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.time.Duration;

/** Is told how each sync of a {@link SyncLoop} went, on the loop's thread. */
public interface SyncListener {
    /** Does nothing. */
    SyncListener NONE = new SyncListener() {};

    /** The snapshot is in force. */
    default void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration) {}

    /** It is not; the next try comes after the wait, or sooner if there is a new change. */
    default void failed(Throwable error, Duration retryIn) {}
}
