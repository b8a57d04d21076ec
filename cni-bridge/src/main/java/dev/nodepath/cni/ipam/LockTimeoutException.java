package dev.nodepath.cni.ipam;

import java.io.IOException;

/** A lock was not free in time. The same command may succeed later. */
public final class LockTimeoutException extends IOException {
    /** A timeout, told in the message. */
    public LockTimeoutException(String message) {
        super(message);
    }
}
