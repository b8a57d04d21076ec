package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Preflight;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The record of the cluster that {@code nodepath up} started: the PID of its enclosure's first process as seen outside,
 * and its start time, as PIDs are reused. Each user has at most one cluster.
 */
record ClusterRecord(long pid, Instant startedAt) {
    /** The kubeconfig's name, here and inside the cluster. */
    static final String KUBECONFIG = "kubeconfig";

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
        Optional<ClusterRecord> running = running();
        if (running.isEmpty()) {
            throw CommandException.failed("no cluster is running (expected: run 'nodepath up' first)"
                    + ended().map(why -> "; " + why).orElse(""));
        }
        return running.get();
    }

    /** Why the cluster of the record runs no more; empty if it runs, or if {@code down} has ended it. */
    static Optional<String> ended() throws IOException {
        if (read().isEmpty() || running().isPresent()) {
            return Optional.empty();
        }
        String word = Files.exists(lastWord()) ? Files.readString(lastWord()).strip() : "";
        return Optional.of("the last cluster " + (word.isEmpty() ? "was killed" : "ended, as its process was " + word));
    }

    /** Where the cluster says why it ends; see {@link Enclosure#startDetached}. */
    static Path lastWord() {
        return folder().resolve("last-word");
    }

    /** Removes the record of a cluster that was killed. */
    static void removeStale() throws IOException {
        if (running().isEmpty()) {
            remove();
        }
    }

    static void remove() throws IOException {
        Files.deleteIfExists(kubeconfig());
        Files.deleteIfExists(file());
        Files.deleteIfExists(lastWord());
        try {
            Files.deleteIfExists(folder());
        } catch (DirectoryNotEmptyException e) {
            // The folder belongs to somebody else.
            return;
        }
    }

    /**
     * Writes it.
     *
     * @param arguments that {@code up} started it with
     */
    void write(List<String> arguments) throws IOException {
        Files.createDirectories(folder());
        List<String> lines = new ArrayList<>(List.of(String.valueOf(pid), startedAt.toString()));
        lines.addAll(arguments);
        Files.write(file(), lines);
    }

    /** What {@code up} started the last cluster with. */
    static List<String> arguments() throws IOException {
        return Files.exists(file())
                ? Files.readAllLines(file()).stream().skip(2).toList()
                : List.of();
    }

    /** The kubeconfig of the running cluster, for this machine. */
    static Path kubeconfig() {
        return folder().resolve(KUBECONFIG);
    }

    static void writeKubeconfig(String text) throws IOException {
        Files.createDirectories(folder());
        Files.deleteIfExists(kubeconfig());
        Files.createFile(
                kubeconfig(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(kubeconfig(), text);
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

    /** The folder of the record. */
    static Path folder() {
        if (Preflight.isRoot()) {
            return Path.of("/run/nodepath");
        }
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        return runtime != null && Files.isWritable(Path.of(runtime))
                ? Path.of(runtime, "nodepath")
                : Path.of(System.getProperty("java.io.tmpdir"), "nodepath-" + System.getProperty("user.name"));
    }
}
