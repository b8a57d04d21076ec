package dev.nodepath.apiserver.stream;

import java.util.List;

/**
 * What a client wants to run ({@code PodExecOptions}).
 *
 * @param container empty for the only one
 * @param command and its arguments; empty to attach to the container's own process
 * @param stdin whether the client sends input
 * @param stdout whether it wants output
 * @param stderr whether it wants errors
 * @param tty whether the command gets a terminal
 */
public record ExecOptions(
        String container, List<String> command, boolean stdin, boolean stdout, boolean stderr, boolean tty) {
    public ExecOptions {
        command = List.copyOf(command);
    }
}
