package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.kubelet.OutputLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A process inside a network namespace. Its output goes to a log file and line by line to a consumer. */
final class NamespaceProcess implements AutoCloseable {
    /** Longer than an agent in userspace mode takes to write rules and drain connections. */
    private static final long TERMINATE_SECONDS_MAX = 60;

    private static final int LAST_LINES_MAX = 5;

    private final String name;
    private final Process process;
    private final Deque<String> lastLines = new ArrayDeque<>();

    private NamespaceProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    /**
     * Starts a command.
     *
     * @param name for messages and the thread that reads the output
     * @param namespace the file of the network namespace
     * @param log file of the output; the first {@value OutputLines#KEPT_CHARACTERS_MAX} characters are kept
     * @param lines gets each line of output, on a thread of its own
     */
    static NamespaceProcess start(String name, Path namespace, List<String> command, Path log, Consumer<String> lines)
            throws IOException {
        Files.createDirectories(log.toAbsolutePath().getParent());
        Process process = new ProcessBuilder(inside(namespace, command))
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        NamespaceProcess started = new NamespaceProcess(name, process);
        Thread reader = new Thread(() -> started.read(log, lines), name + "-output");
        reader.setDaemon(true);
        reader.start();
        return started;
    }

    /** The command line that runs a command inside a namespace. */
    static List<String> inside(Path namespace, List<String> command) {
        List<String> inside = new ArrayList<>(List.of("nsenter", "--net=" + namespace, "--"));
        inside.addAll(command);
        return inside;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The last lines of output, to say why it ended. */
    String lastOutput() {
        synchronized (lastLines) {
            return String.join(" | ", lastLines);
        }
    }

    /** Asks it to end, and does not wait for it. */
    void askToEnd() {
        process.destroy();
    }

    /** Has a task run when it has ended, however that came. */
    void onEnd(Runnable task) {
        var unused = process.onExit().thenRun(task);
    }

    /** Ends it as {@code kill -9} does, and waits until it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks it to end, and ends it if it does not. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(TERMINATE_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(TERMINATE_SECONDS_MAX, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return name;
    }

    private void read(Path log, Consumer<String> lines) {
        long written = 0;
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
                Writer file = Files.newBufferedWriter(log)) {
            for (String line = OutputLines.next(output); line != null; line = OutputLines.next(output)) {
                synchronized (lastLines) {
                    lastLines.addLast(line);
                    if (lastLines.size() > LAST_LINES_MAX) {
                        lastLines.removeFirst();
                    }
                }
                if (written < OutputLines.KEPT_CHARACTERS_MAX) {
                    file.append(line).append('\n').flush();
                    written += line.length() + 1L;
                }
                lines.accept(line);
            }
        } catch (IOException | UncheckedIOException e) {
            // The pipe breaks when the process is killed; there is nothing more to read then.
            lines.accept("output of " + name + " ended: " + e.getMessage());
        }
    }
}
