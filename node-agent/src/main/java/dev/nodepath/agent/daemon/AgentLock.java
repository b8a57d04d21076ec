package dev.nodepath.agent.daemon;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Path;

/** What one process of a node holds that puts the plugin there or takes it away: two would undo each other's work. */
public final class AgentLock {
    private static final String FILE = "agent.lock";

    private AgentLock() {}

    /**
     * Takes it, or fails at once.
     *
     * @param cniSocket beside which it is
     */
    public static FileLock take(KernelLinuxNet net, Path cniSocket) throws CommandException, IOException {
        Path file = cniSocket.resolveSibling(FILE);
        Path folder = cniSocket.getParent();
        SharedFolder.make(folder == null ? Path.of("/") : folder);
        return net.tryLock(file)
                .orElseThrow(() -> CommandException.failed(
                        "another agent runs on this node: it holds " + file + " (expected: one agent for each node)"));
    }
}
