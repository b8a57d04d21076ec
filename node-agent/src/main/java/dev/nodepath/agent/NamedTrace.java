package dev.nodepath.agent;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import java.io.IOException;

/** Answers {@code trace FROM TO} with names of a running cluster; found by {@link java.util.ServiceLoader}. */
public interface NamedTrace {
    /**
     * The way of a packet, as the command prints it.
     *
     * @param name of the cluster
     * @param json whether it is for programs
     * @throws CommandException if no cluster runs, or a name means nothing in it
     */
    String trace(ClusterName name, String from, String to, boolean json)
            throws CommandException, IOException, InterruptedException;
}
