package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Preflight;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Which process holds the cluster that {@code nodepath up} started: the first process of its enclosure, by its number out
 * here, and when it was started, as numbers are used again. One cluster for each user.
 */
record ClusterRecord(long pid, Instant startedAt) {

    /** The process. */
    Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid)
                .filter(handle ->
                        handle.info().startInstant().map(startedAt::equals).orElse(false));
    }

    /** A folder as the cluster itself sees it, seen from here. */
    Path inside(Path path) {
        return Path.of("/proc", String.valueOf(pid), "root")
                .resolve(Path.of("/").relativize(path));
    }

    /** The cluster that runs now. */
    static Optional<ClusterRecord> running() throws IOException {
        Optional<ClusterRecord> record = read();
        return record.filter(found -> found.process().isPresent());
    }

    /** The cluster that runs now, or an error that says how to start one. */
    static ClusterRecord requireRunning() throws IOException, CommandException {
        return running()
                .orElseThrow(() -> CommandException.failed("no cluster is up (expected: 'nodepath up' before)"));
    }

    /** Forgets a cluster that died without a word. */
    static void removeStale() throws IOException {
        if (running().isEmpty()) {
            remove();
        }
    }

    static void remove() throws IOException {
        Files.deleteIfExists(file());
        try {
            Files.deleteIfExists(folder());
        } catch (DirectoryNotEmptyException e) {
            // Somebody else keeps something there.
            return;
        }
    }

    void write() throws IOException {
        Files.createDirectories(folder());
        Files.write(file(), List.of(String.valueOf(pid), startedAt.toString()));
    }

    private static Optional<ClusterRecord> read() throws IOException {
        try {
            List<String> lines = Files.readAllLines(file());
            return Optional.of(new ClusterRecord(Long.parseLong(lines.get(0)), Instant.parse(lines.get(1))));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (RuntimeException e) {
            // Half of a record is none: its writer was killed, and its cluster ended with it.
            return Optional.empty();
        }
    }

    private static Path file() {
        return folder().resolve("cluster");
    }

    private static Path folder() {
        if (Preflight.isRoot()) {
            return Path.of("/run/nodepath");
        }
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        return runtime != null && Files.isWritable(Path.of(runtime))
                ? Path.of(runtime, "nodepath")
                : Path.of(System.getProperty("java.io.tmpdir"), "nodepath-" + System.getProperty("user.name"));
    }
}
