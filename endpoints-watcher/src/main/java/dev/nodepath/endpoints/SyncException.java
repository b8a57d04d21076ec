package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.Map;
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

    /**
     * Throws if the sync of a family failed, with the failures of the others suppressed.
     *
     * @param failures why each of them failed
     * @param inForce the families with the snapshot in force
     * @param what the subject of the sync, such as {@code rules}
     */
    public static void throwIfAny(Map<IpFamily, Exception> failures, Set<IpFamily> inForce, String what)
            throws SyncException {
        SyncException first = null;
        for (Map.Entry<IpFamily, Exception> failed : failures.entrySet()) {
            Exception cause = failed.getValue();
            String words = cause instanceof IOException ? String.valueOf(cause.getMessage()) : cause.toString();
            SyncException next = new SyncException(failed.getKey() + " " + what + ": " + words, cause, inForce);
            if (first == null) {
                first = next;
            } else {
                first.addSuppressed(next);
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
