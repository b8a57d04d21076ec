package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;

/** Is told of every new snapshot; {@code SyncLoop::offer} is one. */
@FunctionalInterface
public interface SnapshotListener {
    /**
     * Takes a snapshot. Called by one thread at a time; must return soon and not throw.
     *
     * @param snapshot what holds now
     * @param changed what differs from the snapshot of the call before; everything at the first call
     */
    void changed(ServiceSnapshot snapshot, ChangeSet changed);
}
