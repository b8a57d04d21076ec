package dev.nodepath.cni.ipam;

import java.io.IOException;

/** Others held a network's lock for too long; the same command may work later. */
public final class LockTimeoutException extends IOException {
    /** A timeout, told in the message. */
    public LockTimeoutException(String message) {
        super(message);
    }
}
