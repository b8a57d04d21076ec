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
 * The record of the cluster that {@code nodepath up} started: the PID of its enclosure's first process as seen outside,
 * and its start time, as PIDs are reused. Each user has at most one cluster.
 */
record ClusterRecord(long pid, Instant startedAt) {

    /** The process. */
    Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid)
                .filter(handle ->
                        handle.info().startInstant().map(startedAt::equals).orElse(false));
    }

    /** The path here of a folder inside the cluster. */
    Path inside(Path path) {
        return Path.of("/proc", String.valueOf(pid), "root")
                .resolve(Path.of("/").relativize(path));
    }

    /** The running cluster. */
    static Optional<ClusterRecord> running() throws IOException {
        Optional<ClusterRecord> record = read();
        return record.filter(found -> found.process().isPresent());
    }

    /** The running cluster, or an error that says how to start one. */
    static ClusterRecord requireRunning() throws IOException, CommandException {
        return running()
                .orElseThrow(() ->
                        CommandException.failed("no cluster is running (expected: run 'nodepath up'" + " first)"));
    }

    /** Removes the record of a cluster that was killed. */
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
            // The folder belongs to somebody else.
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
            // An incomplete record counts as none: its writer was killed, and its cluster ended too.
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
