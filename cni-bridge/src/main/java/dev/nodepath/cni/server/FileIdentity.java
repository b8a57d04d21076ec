package dev.nodepath.cni.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The identity of a file, independent of its path and of the process.
 *
 * @param device number of its file system ({@code st_dev})
 * @param inode its number there ({@code st_ino})
 */
public record FileIdentity(long device, long inode) {

    /** The identity of the file at a path. */
    public static FileIdentity of(Path path) throws IOException {
        return new FileIdentity(
                ((Number) Files.getAttribute(path, "unix:dev")).longValue(),
                ((Number) Files.getAttribute(path, "unix:ino")).longValue());
    }
}
