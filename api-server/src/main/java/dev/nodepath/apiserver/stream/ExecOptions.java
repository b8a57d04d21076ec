package dev.nodepath.apiserver.stream;

import java.util.List;

/**
 * A client's request for a command ({@code PodExecOptions}).
 *
 * @param container empty for the only one
 * @param command and its arguments; empty to attach to the container's own process
 * @param stdin whether the client sends input
 * @param stdout whether the client wants output
 * @param stderr whether the client wants errors
 * @param tty whether the command gets a terminal
 */
public record ExecOptions(
        String container, List<String> command, boolean stdin, boolean stdout, boolean stderr, boolean tty) {
    public ExecOptions {
        command = List.copyOf(command);
    }
}
