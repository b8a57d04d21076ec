package dev.nodepath.linux.iptables;

import java.io.IOException;
import java.util.Optional;

/** An iptables command is missing, could not be run, or refused its input. */
public final class IptablesException extends IOException {
    private final boolean refusal;
    private final boolean temporary;
    private final String line;

    /** A failure in words. */
    public IptablesException(String message) {
        this(message, false, false, "");
    }

    /** A failure with its cause. */
    public IptablesException(String message, Throwable cause) {
        super(message, cause);
        this.refusal = false;
        this.temporary = false;
        this.line = "";
    }

    private IptablesException(String message, boolean refusal, boolean temporary, String line) {
        super(message);
        this.refusal = refusal;
        this.temporary = temporary;
        this.line = line;
    }

    /**
     * A command refused its input.
     *
     * @param line the refused line; empty if the command did not name it
     */
    static IptablesException refusal(String message, String line) {
        return new IptablesException(message, true, false, line);
    }

    /** A failure that the same command may not have later. */
    static IptablesException temporary(String message) {
        return new IptablesException(message, false, true, "");
    }

    /** Whether another program held the xtables lock for too long, or the kernel lacked a resource. */
    public boolean isTemporary() {
        return temporary;
    }

    /** Whether the cause is the input, and not the command, the lock or the machine. */
    boolean isRefusal() {
        return refusal;
    }

    /** The line that was refused, if it is known. */
    Optional<String> refusedLine() {
        return Optional.of(line).filter(known -> !known.isEmpty());
    }
}
