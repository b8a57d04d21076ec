package dev.nodepath.linux.iptables;

import java.io.IOException;

/** An iptables command is missing, could not be run, or refused its input. */
public final class IptablesException extends IOException {
    /** A failure in words. */
    public IptablesException(String message) {
        super(message);
    }

    /** A failure with its cause. */
    public IptablesException(String message, Throwable cause) {
        super(message, cause);
    }
}
