package dev.nodepath.emulator.kubelet;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The lines of a log. When the log has begun anew, the lines of the new file follow those of the old one. */
public final class LogLines implements Closeable {
    private final Path path;
    private @Nullable Object key;
    private BufferedReader file;

    /** Opens a log. */
    public LogLines(Path path) throws IOException {
        this.path = path;
        this.key = key();
        this.file = Files.newBufferedReader(path);
    }

    /** The next one; null if there is none yet. */
    public @Nullable String next() throws IOException {
        String line = file.readLine();
        if (line == null && isReplaced()) {
            line = file.readLine(); // written since
            if (line == null) {
                file.close();
                key = key();
                file = Files.newBufferedReader(path);
                line = file.readLine();
            }
        }
        return line;
    }

    private boolean isReplaced() throws IOException {
        try {
            return !Objects.equals(key, key());
        } catch (NoSuchFileException e) {
            // The Pod is gone, or the file is just being replaced.
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private @Nullable Object key() throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }
}
