package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A short command.
 *
 * @param exitCode of the process
 * @param output its standard output, at most 256 KiB of it
 */
public record ShortCommand(int exitCode, String output) {
    private static final int OUTPUT_BYTES_MAX = 256 * 1024;

    /**
     * Runs it.
     *
     * @param input for its standard input; the command need not read it
     * @param limit after which it is killed, with the processes that it has started
     * @throws InterruptedIOException if it does not end within the limit
     * @throws IOException if it cannot be started
     */
    public static ShortCommand run(ProcessBuilder command, String input, Duration limit)
            throws IOException, InterruptedException {
        Process process = command.start();
        Thread watchdog = new Thread(() -> endAfter(process, limit), "watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        long start = System.nanoTime();
        write(process, input);
        byte[] output = process.getInputStream().readNBytes(OUTPUT_BYTES_MAX);
        if (output.length == OUTPUT_BYTES_MAX) {
            discardRest(process);
        }
        int exitCode = process.waitFor();
        if (System.nanoTime() - start >= limit.toNanos()) {
            throw new InterruptedIOException(command.command() + ": no end within " + limit.toSeconds() + " s");
        }
        return new ShortCommand(exitCode, new String(output, StandardCharsets.UTF_8));
    }

    /** A full pipe would stop the command. */
    private static void discardRest(Process process) {
        try {
            process.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // It was killed at the limit.
            return;
        }
    }

    private static void write(Process process, String input) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The command ended before it read everything; its output and exit code say why.
            return;
        }
    }

    private static void endAfter(Process process, Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
