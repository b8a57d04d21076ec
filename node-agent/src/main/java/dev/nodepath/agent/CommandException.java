package dev.nodepath.agent;

import java.util.List;

/** A command cannot go on, for reasons that the person who typed it can act on: no stack trace, an exit code. */
public final class CommandException extends Exception {
    private final int exitCode;
    private final List<String> lines;

    private CommandException(int exitCode, List<String> lines) {
        super(String.join("; ", lines));
        this.exitCode = exitCode;
        this.lines = List.copyOf(lines);
    }

    /** The command failed: exit code 1. */
    public static CommandException failed(String... lines) {
        return new CommandException(Nodepath.FAILED, List.of(lines));
    }

    /** The command line or an input file is not valid: exit code 2. */
    public static CommandException wrongUsage(List<String> lines) {
        return new CommandException(Nodepath.WRONG_USAGE, lines);
    }

    /** The exit code of the process. */
    public int exitCode() {
        return exitCode;
    }

    /** What to print, a line each. */
    public List<String> lines() {
        return lines;
    }
}
