package dev.nodepath.agent.install;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A short program of the node's. */
interface HostCommand {
    /** The limit of kept output, in bytes. */
    int OUTPUT_BYTES_MAX = 64 * 1024;

    /** How long the output may stay open after the end of the program, by children that it left behind. */
    Duration OUTPUT_WAIT = Duration.ofSeconds(1);

    /** Runs them as processes. */
    HostCommand PROCESS = HostCommand::runProcess;

    /**
     * Runs a program that must succeed, and returns its output.
     *
     * @param command program and arguments
     * @param environment in addition to this process's own
     * @throws IOException if it cannot be run, fails, or takes longer than the limit, after which it is ended
     */
    String run(List<String> command, Map<String, String> environment, Duration limit)
            throws IOException, InterruptedException;

    private static String runProcess(List<String> command, Map<String, String> environment, Duration limit)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        FutureTask<String> output = new FutureTask<>(() -> read(process.getInputStream()));
        Thread reader = new Thread(output, "host-command");
        reader.setDaemon(true);
        reader.start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(command.get(0) + ": not done after " + limit.toSeconds() + " s");
            }
            String text = output.get(OUTPUT_WAIT.toMillis(), TimeUnit.MILLISECONDS);
            if (process.exitValue() != 0) {
                throw new IOException(command.get(0) + ": exit code " + process.exitValue() + ": "
                        + text.strip().replace('\n', ' '));
            }
            return text;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(command.get(0) + ": its output cannot be read: " + e, e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String read(InputStream from) throws IOException {
        byte[] kept = from.readNBytes(OUTPUT_BYTES_MAX);
        from.transferTo(OutputStream.nullOutputStream());
        return new String(kept, StandardCharsets.UTF_8);
    }
}
