package dev.nodepath.agent.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The archive with which the plugin's JVM starts in half the time. It is good for the Java and the place it was made with, so the
 * node's copy makes it, seen where the node has it.
 */
public final class ClassDataArchive {
    private static final String FILE = PluginFiles.PLUGIN + ".jsa";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final HostFolders folders;
    private final HostCommand commands;

    /** An archive on this node. */
    public ClassDataArchive(HostFolders folders) {
        this(folders, HostCommand.PROCESS);
    }

    ClassDataArchive(HostFolders folders, HostCommand commands) {
        this.folders = folders;
        this.commands = commands;
    }

    /**
     * Makes it, unless it is there.
     *
     * @param version the version's folder, as the node has it
     * @return whether it had to be made
     * @throws IOException if the node's Java made none; the plugin works without
     */
    public boolean make(Path version) throws IOException, InterruptedException {
        Path archive = folders.here(version).resolve(PluginFiles.LIB).resolve(FILE);
        if (Files.exists(archive)) {
            return false;
        }
        List<String> command = new ArrayList<>();
        if (!folders.isOwn()) {
            command.addAll(List.of("chroot", folders.root().toString()));
        }
        command.add(version.resolve(PluginFiles.ARCHIVE_SCRIPT).toString());
        String printed = commands.run(command, Map.of("NODEPATH_CNI_SOCKET", "/dev/null"), LIMIT);
        if (!Files.exists(archive)) {
            throw new IOException(archive + ": not made: " + printed.strip().replace('\n', ' '));
        }
        return true;
    }
}
