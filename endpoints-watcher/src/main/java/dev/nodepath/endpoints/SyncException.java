package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.util.Set;

/** A snapshot could not be brought into force, at least not for all families; see {@link #inForce}. */
public final class SyncException extends Exception {
    private final transient Set<IpFamily> inForce;

    /** A failure with its cause; what is in force is unknown until a later sync succeeds. */
    public SyncException(String message, Throwable cause) {
        this(message, cause, Set.of());
    }

    /** A failure that has spared these families. */
    public SyncException(String message, Throwable cause, Set<IpFamily> inForce) {
        super(message, cause);
        this.inForce = Set.copyOf(inForce);
    }

    /** The families that the snapshot is in force for all the same. */
    public Set<IpFamily> inForce() {
        return inForce;
    }
}
