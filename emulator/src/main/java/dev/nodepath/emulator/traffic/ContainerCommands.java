package dev.nodepath.emulator.traffic;

import java.io.IOException;
import java.util.List;

/** Runs commands in the container of a server. */
public interface ContainerCommands {
    /**
     * Runs one to its end.
     *
     * @param input for its standard input
     * @throws IOException if it cannot be started, or takes too long
     */
    Ended run(List<String> command, byte[] input) throws IOException, InterruptedException;

    /**
     * The result of a command.
     *
     * @param output its standard output and error, as text
     */
    record Ended(int exitCode, String output) {}
}
