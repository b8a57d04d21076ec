package dev.nodepath.linux.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads small files. Every error names the file; the JDK's streams do not. */
public final class RegularFile {
    private RegularFile() {}

    /**
     * The beginning of a file, at most this many bytes. It never waits, not even for a pipe.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws FileSystemException if it is another kind of file, or cannot be read
     */
    public static byte[] read(Path file, int bytesMax) throws IOException {
        if (!Files.isRegularFile(file) && Files.exists(file)) {
            throw new FileSystemException(
                    file.toString(), null, Files.isDirectory(file) ? "Is a directory" : "Not a regular file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(bytesMax);
        } catch (IOException e) {
            throw named(file, e);
        }
    }

    /** The failure with the name of its file. */
    public static IOException named(Path file, IOException problem) {
        if (problem instanceof FileSystemException) {
            return problem;
        }
        FileSystemException named = new FileSystemException(file.toString(), null, problem.getMessage());
        named.initCause(problem);
        return named;
    }
}
