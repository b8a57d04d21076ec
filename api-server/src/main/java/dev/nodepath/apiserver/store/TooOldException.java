package dev.nodepath.apiserver.store;

/** The history does not reach back to the requested version. */
public final class TooOldException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooOldException(long asked, long oldest) {
        super("too old resource version: " + asked + " (" + oldest + ")");
    }
}
