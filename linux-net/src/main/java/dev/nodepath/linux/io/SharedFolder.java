package dev.nodepath.linux.io;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/**
 * A folder of the node that several programs use. A new folder gets mode 0755, whatever the umask. An existing folder
 * keeps its mode.
 */
public final class SharedFolder {
    private static final int STICKY = 01000;

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

    /**
     * Makes a folder for sockets and locks, as {@link #make} does.
     *
     * @throws IOException if it belongs to another user, or others can replace files of this process in it
     */
    public static void makeTrusted(Path folder) throws IOException {
        make(folder);
        PosixFileAttributes is = Files.readAttributes(folder, PosixFileAttributes.class);
        UserPrincipal user = Files.getOwner(Path.of("/proc/self"));
        // In a user namespace the machine's root has another name.
        UserPrincipal superuser = Files.getOwner(Path.of("/"));
        if (!is.owner().equals(user) && !is.owner().equals(superuser)) {
            throw new IOException(folder + ": belongs to " + is.owner().getName() + " (expected: a folder of "
                    + user.getName() + " or root)");
        }
        boolean sticky = ((int) Files.getAttribute(folder, "unix:mode") & STICKY) != 0;
        // A group of the owner's name is the owner's own.
        boolean othersWrite = is.permissions().contains(PosixFilePermission.OTHERS_WRITE)
                || (is.permissions().contains(PosixFilePermission.GROUP_WRITE)
                        && !is.group().getName().equals(is.owner().getName()));
        if (othersWrite && !sticky) {
            throw new IOException(folder + ": mode " + PosixFilePermissions.toString(is.permissions())
                    + " (expected: a folder that others cannot write)");
        }
    }
}
