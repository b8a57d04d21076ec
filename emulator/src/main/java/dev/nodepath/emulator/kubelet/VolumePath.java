package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Finds a path in a volume that containers write to, from the outside. A container may have put links there, and a
 * link out of the volume would lead into the machine.
 */
final class VolumePath {
    private VolumePath() {}

    /**
     * The path without links, made if it is not there.
     *
     * @param volume a folder of the Pod
     * @param relative in the volume
     * @param directory whether a missing path is made as a folder; else it is an empty file
     * @throws IOException if it leads out of the volume, or cannot be made
     */
    static Path of(Path volume, Path relative, boolean directory) throws IOException {
        Path root = volume.toRealPath();
        Path found = root;
        for (int i = 0; i < relative.getNameCount(); i++) {
            Path next = found.resolve(relative.getName(i));
            boolean folder = directory || i < relative.getNameCount() - 1;
            if (Files.exists(next, LinkOption.NOFOLLOW_LINKS)) {
                found = next.toRealPath();
            } else {
                found = folder ? Files.createDirectory(next) : Files.createFile(next);
            }
            if (!found.startsWith(root)) {
                throw new IOException(relative + ": leads out of the volume (expected: a path in it)");
            }
        }
        return found;
    }
}
