package dev.nodepath.emulator.kubelet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;

/**
 * The output of one container: a line each, with the time of its arrival before it. A restart moves the file to
 * {@code .previous}.
 */
final class ContainerLog {
    private final Path file;
    private final InstantSource clock;

    ContainerLog(Path file, InstantSource clock) {
        this.file = file;
        this.clock = clock;
    }

    /** The log of the run before. */
    static Path previous(Path file) {
        return file.resolveSibling(file.getFileName() + ".previous");
    }

    /** Keeps the log as that of the run before, and begins a new one. */
    void rotate() throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        if (Files.exists(file)) {
            Files.move(file, previous(file), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.createFile(file);
    }

    /** Appends a line. */
    void write(String line) throws IOException {
        try (Writer out = appending()) {
            out.append(clock.instant().toString()).append(' ').append(line).append('\n');
        }
    }

    /**
     * Copies a process' output until it ends. After {@value OutputLines#KEPT_CHARACTERS_MAX} characters the log begins
     * anew, as a kubelet's does: new lines are worth more than old ones.
     */
    void copy(BufferedReader output) throws IOException {
        Writer out = appending();
        try {
            long written = 0;
            for (String line = OutputLines.next(output); line != null; line = OutputLines.next(output)) {
                if (written >= OutputLines.KEPT_CHARACTERS_MAX) {
                    out.close();
                    Path empty = Files.createFile(file.resolveSibling(file.getFileName() + ".new"));
                    Files.move(empty, file, StandardCopyOption.ATOMIC_MOVE);
                    out = appending();
                    written = 0;
                }
                String stamped = clock.instant() + " " + line + "\n";
                out.write(stamped);
                out.flush();
                written += stamped.length();
            }
        } finally {
            out.close();
        }
    }

    private Writer appending() throws IOException {
        return Files.newBufferedWriter(
                file, StandardCharsets.UTF_8, StandardOpenOption.APPEND, StandardOpenOption.CREATE);
    }
}
