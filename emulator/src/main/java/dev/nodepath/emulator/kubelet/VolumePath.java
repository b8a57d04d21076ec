package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Opens a path in a volume from outside the container that writes to it. The container may make links there at any
 * time, and a link out of the volume would lead into the machine: the kernel refuses to follow such a link. An open
 * file stays the same file.
 */
final class VolumePath {
    /** The kernel cannot verify a path while any folder is being renamed. */
    private static final int TRIES_MAX = 100;

    private VolumePath() {}

    /**
     * Opens it; an absent path is made.
     *
     * @param volume a folder of the Pod, or one of its files
     * @param part a path in the volume; the empty path is the volume
     * @param directory whether a missing path is made as a folder; else it is an empty file
     * @throws IOException if it leads out of the volume, or cannot be made
     */
    static Descriptor open(Path volume, Path part, boolean directory) throws IOException {
        Syscalls syscalls = Syscalls.load();
        Descriptor root = Descriptor.open(syscalls, volume);
        if (part.toString().isEmpty()) {
            return root;
        }
        try (root) {
            return open(syscalls, root, part, directory);
        }
    }

    private static Descriptor open(Syscalls syscalls, Descriptor root, Path part, boolean directory)
            throws IOException {
        long opened = openThere(syscalls, root, part);
        if (opened == -Errno.ENOENT.number()) {
            make(syscalls, root, part, directory);
            opened = openThere(syscalls, root, part);
        }
        if (opened == -Errno.EXDEV.number()) {
            throw new IOException(part + ": leads out of the volume (expected: a path in it)");
        }
        return new Descriptor(syscalls, Syscalls.orThrow(part.toString(), opened));
    }

    private static long openThere(Syscalls syscalls, Descriptor root, Path part) {
        long opened = syscalls.openBeneath(root.number(), part.toString());
        for (int tries = 1; opened == -Errno.EAGAIN.number() && tries < TRIES_MAX; tries++) {
            opened = syscalls.openBeneath(root.number(), part.toString());
        }
        return opened;
    }

    private static void make(Syscalls syscalls, Descriptor root, Path part, boolean directory) throws IOException {
        Path parent = part.getParent();
        if (parent == null) {
            make(root, part, directory);
        } else {
            try (Descriptor folder = open(syscalls, root, parent, true)) {
                make(folder, part.getFileName(), directory);
            }
        }
    }

    private static void make(Descriptor folder, Path name, boolean directory) throws IOException {
        Path path = folder.path().resolve(name);
        try {
            if (directory) {
                Files.createDirectory(path);
            } else {
                Files.createFile(path);
            }
        } catch (FileAlreadyExistsException e) {
            // Another process has made it, or it is a link to nothing: the next open tells.
            return;
        }
    }
}
