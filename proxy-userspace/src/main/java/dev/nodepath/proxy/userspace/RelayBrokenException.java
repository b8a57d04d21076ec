package dev.nodepath.proxy.userspace;

import java.io.IOException;

/**
 * An event loop of the relay has failed. Its connections hang, and new ones would hang, too. A new proxy must be
 * opened.
 */
public final class RelayBrokenException extends IOException {
    /** A failure, in words. */
    public RelayBrokenException(String message) {
        super(message);
    }
}
