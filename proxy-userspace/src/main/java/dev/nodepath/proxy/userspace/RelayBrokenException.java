package dev.nodepath.proxy.userspace;

import java.io.IOException;

/** A relay that cannot go on: its connections hang, and so would new ones. Only a proxy that is opened anew helps. */
public final class RelayBrokenException extends IOException {
    /** What is broken, in words. */
    public RelayBrokenException(String message) {
        super(message);
    }
}
