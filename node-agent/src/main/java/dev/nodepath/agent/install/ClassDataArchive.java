package dev.nodepath.agent.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The class-data archive that halves the start of the plugin's JVM. It fits only the Java and the paths that made it,
 * so the node's own copy makes it at its path on the node.
 */
final class ClassDataArchive {
    private static final String FILE = PluginFiles.PLUGIN + ".jsa";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final HostFolders folders;
    private final HostCommand commands;

    /** An archive on this node. */
    ClassDataArchive(HostFolders folders) {
        this(folders, HostCommand.PROCESS);
    }

    ClassDataArchive(HostFolders folders, HostCommand commands) {
        this.folders = folders;
        this.commands = commands;
    }

    /**
     * Makes the archive if it is missing.
     *
     * @param version the version's folder at the node's own path
     * @return whether it had to be made
     * @throws IOException if the node's Java made none; the plugin works without it
     */
    boolean make(Path version) throws IOException, InterruptedException {
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
