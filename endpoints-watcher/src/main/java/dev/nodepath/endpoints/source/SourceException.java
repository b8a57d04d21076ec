package dev.nodepath.endpoints.source;

/** A source cannot be used. The message is one line: the place, the value, and what was expected. */
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
