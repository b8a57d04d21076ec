package dev.nodepath.linux.io;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A folder of the node that several programs use. A new folder gets mode 0755, whatever the umask. An existing folder
 * keeps its mode.
 */
public final class SharedFolder {
    private SharedFolder() {}

    /**
     * Makes a folder and its parents if they are missing.
     *
     * @throws FileAlreadyExistsException if another kind of file has one of the names
     */
    public static void make(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            make(parent);
        }
        try {
            Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rwxr-xr-x");
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(mode));
            Files.setPosixFilePermissions(folder, mode);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) { // else another program was the first
                throw e;
            }
        }
    }
}
