package dev.nodepath.agent.daemon;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The lock of the one process that installs or removes the plugin on a node: two processes would undo each other's
 * work.
 */
public final class AgentLock {
    private static final String FILE = "agent.lock";

    private AgentLock() {}

    /**
     * Takes the lock, or fails at once.
     *
     * @param cniSocket the lock file is in the same folder
     */
    public static FileLock take(KernelLinuxNet net, Path cniSocket) throws CommandException, IOException {
        Path file = cniSocket.resolveSibling(FILE);
        Path folder = cniSocket.toAbsolutePath().getParent();
        SharedFolder.makeTrusted(folder == null ? Path.of("/") : folder);
        return net.tryLock(file)
                .orElseThrow(() -> CommandException.failed(
                        "another agent runs on this node: it holds " + file + " (expected: one agent for each node)"));
    }
}
