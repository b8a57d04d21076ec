package dev.nodepath.endpoints;

/** A snapshot could not be brought into force; what is in force is unknown until a later sync succeeds. */
public final class SyncException extends Exception {
    /** A failure with its cause. */
    public SyncException(String message, Throwable cause) {
        super(message, cause);
    }
}
