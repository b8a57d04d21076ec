package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.kubelet.OutputLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A process inside a network namespace. Its standard error goes to a log file. Its standard output is data, line by
 * line; other lines, such as messages of the JVM, go to the log.
 */
final class NamespaceProcess implements AutoCloseable {
    /** Longer than an agent in userspace mode takes to write rules and drain connections. */
    private static final long TERMINATE_SECONDS_MAX = 60;

    private static final int LAST_LINES_MAX = 5;
    private static final int OUTPUTS = 2;

    private final String name;
    private final Process process;
    private final Writer log;
    private final Deque<String> lastLines = new ArrayDeque<>();
    private long written;
    private int read;

    private NamespaceProcess(String name, Process process, Writer log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a command.
     *
     * @param name for messages and the threads that read the output
     * @param namespace the file of the network namespace
     * @param log file of the log; its first {@value OutputLines#KEPT_CHARACTERS_MAX} characters are kept
     * @param data takes a line of standard output, on a thread of its own; false if the line is no data
     */
    static NamespaceProcess start(String name, Path namespace, List<String> command, Path log, Predicate<String> data)
            throws IOException {
        Files.createDirectories(log.toAbsolutePath().getParent());
        Writer file = Files.newBufferedWriter(log);
        Process process;
        try {
            process = new ProcessBuilder(inside(namespace, command))
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
        } catch (IOException e) {
            file.close();
            throw e;
        }
        NamespaceProcess started = new NamespaceProcess(name, process, file);
        started.read("log", process.errorReader(StandardCharsets.UTF_8), line -> false);
        started.read("output", process.inputReader(StandardCharsets.UTF_8), data);
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
        synchronized (log) {
            return String.join(" | ", lastLines);
        }
    }

    /** Asks it to end, and does not wait for it. */
    void askToEnd() {
        process.destroy();
    }

    /** Has a task run when it has ended, for whatever reason. */
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

    private void read(String what, BufferedReader output, Predicate<String> data) {
        Thread reader = new Thread(
                () -> {
                    try (output) {
                        for (String line = OutputLines.next(output); line != null; line = OutputLines.next(output)) {
                            if (!data.test(line)) {
                                keep(line);
                            }
                        }
                    } catch (IOException e) {
                        // The pipe breaks when the process is killed; there is nothing more to read then.
                        return;
                    } finally {
                        end();
                    }
                },
                name + "-" + what);
        reader.setDaemon(true);
        reader.start();
    }

    /** Without room on the disk a line is lost, and the process goes on. */
    private void keep(String line) {
        synchronized (log) {
            lastLines.addLast(line);
            if (lastLines.size() > LAST_LINES_MAX) {
                lastLines.removeFirst();
            }
            if (written < OutputLines.KEPT_CHARACTERS_MAX) {
                try {
                    log.append(line).append('\n').flush();
                } catch (IOException e) {
                    return;
                }
                written += line.length() + 1L;
            }
        }
    }

    /** One of the outputs has ended. */
    private void end() {
        synchronized (log) {
            read++;
            if (read == OUTPUTS) {
                try {
                    log.close();
                } catch (IOException e) {
                    // Every line was written before.
                    return;
                }
            }
        }
    }
}
