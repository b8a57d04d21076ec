package dev.nodepath.emulator.kubelet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A short command.
 *
 * @param exitCode of the process
 * @param output its standard output, at most 256 KiB of it
 */
public record ShortCommand(int exitCode, String output) {
    private static final int OUTPUT_BYTES_MAX = 256 * 1024;
    private static final int BUFFER_BYTES = 8 * 1024;

    /** The wait for the output of an ended command: a process that it left behind may keep the pipe open. */
    private static final Duration REST_MAX = Duration.ofSeconds(10);

    /**
     * Runs it. A process left behind with the output open costs a thread until it ends.
     *
     * @param input for its standard input; the command need not read it
     * @param limit after which it is killed, with the processes that it has started
     * @throws InterruptedIOException if it does not end within the limit
     * @throws IOException if it cannot start
     */
    public static ShortCommand run(ProcessBuilder command, String input, Duration limit)
            throws IOException, InterruptedException {
        return run(command, input.getBytes(StandardCharsets.UTF_8), limit);
    }

    /**
     * Runs one in a container. Its errors are in the output.
     *
     * @param enter the script that enters the container
     */
    static ShortCommand inside(Path enter, List<String> command, byte[] input, Duration limit)
            throws IOException, InterruptedException {
        List<String> inside = new ArrayList<>(List.of(enter.toString()));
        inside.addAll(command);
        return run(new ProcessBuilder(inside).redirectErrorStream(true), input, limit);
    }

    private static ShortCommand run(ProcessBuilder command, byte[] input, Duration limit)
            throws IOException, InterruptedException {
        Process process = command.start();
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        // The thread is another one: a killed command may leave a process behind that keeps the pipes open.
        Thread talk = new Thread(() -> talk(process, input, output), "short-command");
        talk.setDaemon(true);
        talk.start();
        try {
            if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new InterruptedIOException(command.command() + ": no end within " + limit.toSeconds() + " s");
            }
        } finally {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
        talk.join(REST_MAX.toMillis());
        return new ShortCommand(process.exitValue(), output.toString(StandardCharsets.UTF_8));
    }

    /** Reads all output, as a full pipe would stop the command, and keeps the first part. */
    private static void talk(Process process, byte[] input, ByteArrayOutputStream output) {
        write(process, input);
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream from = process.getInputStream()) {
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                output.write(buffer, 0, Math.min(read, OUTPUT_BYTES_MAX - output.size()));
            }
        } catch (IOException e) {
            // Its end of the pipe is gone.
            return;
        }
    }

    private static void write(Process process, byte[] input) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input);
        } catch (IOException e) {
            // The command ended before it read everything; its output and exit code say why.
            return;
        }
    }
}
