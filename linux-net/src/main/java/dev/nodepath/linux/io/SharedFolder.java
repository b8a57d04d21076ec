package dev.nodepath.linux.io;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A folder of the node that several programs use. A new folder gets mode 0755, whatever the umask. An existing folder
 * keeps its mode.
 */
public final class SharedFolder {
    private static final int STICKY = 01000;
    private static final int GROUP_WRITE = 020;
    private static final int OTHERS_WRITE = 02;

    private static final Path PROCESS = Path.of("/proc/self");
    private static final Path ROOT = Path.of("/");

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
        Object owner = user(folder);
        // In a user namespace the machine's root has another number.
        if (!owner.equals(user(PROCESS)) && !owner.equals(user(ROOT))) {
            throw new IOException(folder + ": belongs to "
                    + Files.getOwner(folder).getName() + " (expected: a folder of "
                    + Files.getOwner(PROCESS).getName() + " or root)");
        }
        int mode = (int) Files.getAttribute(folder, "unix:mode");
        boolean othersWrite = (mode & OTHERS_WRITE) != 0 || ((mode & GROUP_WRITE) != 0 && !isOfOwnersGroup(folder));
        if (othersWrite && (mode & STICKY) == 0) {
            throw new IOException(folder + ": mode "
                    + PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))
                    + " (expected: a folder that others cannot write)");
        }
    }

    /** The number of a file's owner. Looking up the name would read the list of users. */
    private static Object user(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid");
    }

    /** A group of the owner's name is the owner's own. */
    private static boolean isOfOwnersGroup(Path folder) throws IOException {
        PosixFileAttributes is = Files.readAttributes(folder, PosixFileAttributes.class);
        return is.group().getName().equals(is.owner().getName());
    }
}
