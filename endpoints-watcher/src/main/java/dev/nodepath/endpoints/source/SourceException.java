package dev.nodepath.endpoints.source;

/** A source cannot be used; the message is one line that says where, what it was and what was expected. */
public class SourceException extends Exception {
    /** A problem of its own. */
    public SourceException(String message) {
        super(message);
    }

    /** A problem with its cause. */
    public SourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
