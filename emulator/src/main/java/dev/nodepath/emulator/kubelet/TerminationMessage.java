package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The last message of a container (Kubernetes, "Determine the Reason for Pod Failure"): a file that it writes, or its
 * log's end.
 */
final class TerminationMessage {
    private static final String PATH = "/dev/termination-log";
    private static final int BYTES_MAX = 4096;
    private static final int LOG_BYTES_MAX = 2048;
    private static final int LOG_LINES_MAX = 80;

    private static final String NAME = "last-words";

    private final ContainerSpec container;
    private final Path file;

    /**
     * The message of a container.
     *
     * @param folder of the container on this machine
     */
    TerminationMessage(ContainerSpec container, Path folder) {
        this.container = container;
        this.file = file(folder);
    }

    /** The file of the container with this folder. */
    static Path file(Path folder) {
        return folder.resolve(NAME);
    }

    /** Takes the container's own copy, up to the limit of a message. Does nothing if there is no copy. */
    static void keep(Path copies, Path folder) throws IOException {
        Path copy = file(copies);
        if (Files.exists(copy)) {
            Files.write(file(folder), start(copy));
        }
    }

    Path file() {
        return file;
    }

    /** The container's path of the message. */
    String path() {
        return container.json().path("terminationMessagePath").asText(PATH);
    }

    /** Empties the message for a new run of the container. */
    void begin() throws IOException {
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        Files.createFile(file);
    }

    /** The message; empty if there is none. */
    String read(int exitCode, Path log) {
        try {
            String written = new String(start(file), StandardCharsets.UTF_8);
            boolean fallsBack =
                    container.json().path("terminationMessagePolicy").asText("").equals("FallbackToLogsOnError");
            return written.isEmpty() && fallsBack && exitCode != 0 ? end(log) : written;
        } catch (IOException e) {
            // The Pod has ended, and its files are gone.
            return "";
        }
    }

    private static byte[] start(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(BYTES_MAX);
        }
    }

    /** Each line of the log has the time of its arrival first. */
    private static String end(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        StringBuilder text = new StringBuilder();
        for (String line : lines.subList(Math.max(0, lines.size() - LOG_LINES_MAX), lines.size())) {
            text.append(line.substring(line.indexOf(' ') + 1)).append('\n');
        }
        return text.substring(Math.max(0, text.length() - LOG_BYTES_MAX));
    }
}
