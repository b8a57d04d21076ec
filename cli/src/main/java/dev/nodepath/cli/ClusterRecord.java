package dev.nodepath.cli;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The record of the cluster that {@code nodepath up} started: the PID of its enclosure's first process as seen outside,
 * and its start time, as PIDs are reused.
 */
record ClusterRecord(long pid, Instant startedAt) {
    /** Separates fields: a file name may have a line break, but never a NUL. */
    private static final String BETWEEN = "\0";

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

    /** Reads a record; empty for an incomplete one: its writer was killed, and its cluster ended too. */
    static Optional<ClusterRecord> parse(String text) {
        List<String> lines = text.lines().toList();
        try {
            return Optional.of(new ClusterRecord(Long.parseLong(lines.get(0)), Instant.parse(lines.get(1))));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** The arguments that {@code up} started the recorded cluster with. */
    static List<String> arguments(String text) {
        String[] parts = text.split("\n", 3);
        return parts.length < 3 || parts[2].isEmpty() ? List.of() : List.of(parts[2].split(BETWEEN, -1));
    }

    /**
     * The record, as {@link #parse} reads it.
     *
     * @param arguments that {@code up} started it with
     */
    String text(List<String> arguments) {
        return pid + "\n" + startedAt + "\n" + String.join(BETWEEN, arguments);
    }
}
