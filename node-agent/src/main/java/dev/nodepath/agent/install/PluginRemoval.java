package dev.nodepath.agent.install;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Removes from a node what {@link ConflistFile} and {@link PluginInstallation} installed. The configuration goes first,
 * so that the runtime does not call a missing plugin.
 */
public final class PluginRemoval {
    private final HostFolders folders;

    /** A removal from this node. */
    public PluginRemoval(HostFolders folders) {
        this.folders = folders;
    }

    /**
     * Removes all these files; missing files are no error, and other programs' files stay.
     *
     * @throws IOException if something cannot be removed; it stops there, and the message names the option and the
     *     folder
     */
    public void remove() throws IOException {
        new ConflistFile(folders).remove();
        Path bin = folders.here(folders.bin());
        try {
            FileSteps.delete(bin.resolve(PluginFiles.PLUGIN));
            FileSteps.delete(bin.resolve(PluginFiles.FALLBACK));
        } catch (IOException e) {
            throw FileSteps.problem("--cni-bin-dir", bin, e);
        }
        Path install = folders.here(folders.install());
        if (Files.isDirectory(install, LinkOption.NOFOLLOW_LINKS)) {
            try {
                PluginInstallation.removeAll(install);
            } catch (IOException e) {
                throw FileSteps.problem("--install-dir", install, e);
            }
            deleteIfEmpty(install);
        }
    }

    /** A mounted folder, or one with other files, stays. */
    private static void deleteIfEmpty(Path folder) throws IOException {
        try {
            Files.delete(folder);
        } catch (FileSystemException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }
}
