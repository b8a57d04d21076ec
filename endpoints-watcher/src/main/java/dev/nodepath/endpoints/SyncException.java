package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.util.Set;

/** A snapshot could not be brought into force for all families; see {@link #inForce}. */
public final class SyncException extends Exception {
    private final transient Set<IpFamily> inForce;

    /** A failure with its cause. The state of all families is unknown until a later sync succeeds. */
    public SyncException(String message, Throwable cause) {
        this(message, cause, Set.of());
    }

    /** A failure that does not affect these families. */
    public SyncException(String message, Throwable cause, Set<IpFamily> inForce) {
        super(message, cause);
        this.inForce = Set.copyOf(inForce);
    }

    /** The families with the snapshot in force. */
    public Set<IpFamily> inForce() {
        return inForce;
    }
}
