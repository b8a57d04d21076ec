package dev.nodepath.agent;

import java.util.List;

/**
 * Adds commands of a higher module to the command line; found by {@link java.util.ServiceLoader}. A command is made
 * when it is needed: most starts need one.
 */
public interface CommandProvider {
    /** The names of the commands. */
    List<String> names();

    /**
     * A new command.
     *
     * @param name one of {@link #names}
     * @return an object with picocli's {@code @Command} of this name
     */
    Object command(String name);
}
