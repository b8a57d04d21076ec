package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;

/** Gets every new snapshot, like {@code SyncLoop::offer}. */
@FunctionalInterface
public interface SnapshotListener {
    /**
     * Takes a snapshot. Called by one thread at a time; must return soon and not throw.
     *
     * @param snapshot the newest state
     * @param changed the difference from the previous call; everything at the first call
     */
    void changed(ServiceSnapshot snapshot, ChangeSet changed);
}
