package dev.nodepath.agent.options;

import java.util.List;

/**
 * A command fails for a reason that its user can act on: it prints lines without a stack trace and has an exit code.
 */
public final class CommandException extends Exception {
    /** The exit code of a failed command. */
    public static final int FAILED = 1;

    /** The exit code where the command line or an input file is not valid. */
    public static final int WRONG_USAGE = 2;

    private final int exitCode;
    private final List<String> lines;

    private CommandException(int exitCode, List<String> lines) {
        super(String.join("; ", lines));
        this.exitCode = exitCode;
        this.lines = List.copyOf(lines);
    }

    /** The command failed: exit code 1. */
    public static CommandException failed(String... lines) {
        return new CommandException(FAILED, List.of(lines));
    }

    /** The command line or an input file is not valid: exit code 2. */
    public static CommandException wrongUsage(List<String> lines) {
        return new CommandException(WRONG_USAGE, lines);
    }

    /** The exit code of the process. */
    public int exitCode() {
        return exitCode;
    }

    /** The lines to print. */
    public List<String> lines() {
        return lines;
    }
}
