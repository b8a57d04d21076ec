package dev.nodepath.endpoints.source.kubernetes;

import java.io.IOException;

/** An API server refuses a request for good. */
public final class RefusedException extends IOException {
    /** The server's answer in words. */
    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
