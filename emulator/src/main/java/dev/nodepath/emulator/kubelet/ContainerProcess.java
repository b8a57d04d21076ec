package dev.nodepath.emulator.kubelet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A container with a command: a process in the Pod's namespaces, the leader of a session of its own. */
final class ContainerProcess implements Container {
    private static final long KILL_SECONDS_MAX = 5;

    private final Process process;
    private final CompletableFuture<Integer> ended;

    private ContainerProcess(Process process, CompletableFuture<Integer> ended) {
        this.process = process;
        this.ended = ended;
    }

    /**
     * Starts the command.
     *
     * @param command as it is to be started, with what enters the Pod's namespaces
     * @param environment all of it
     * @param log gets its output
     */
    static ContainerProcess start(String name, List<String> command, Map<String, String> environment, ContainerLog log)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process, log, ended), "container-" + name);
        reader.setDaemon(true);
        reader.start();
        return new ContainerProcess(process, ended);
    }

    @Override
    public CompletableFuture<Integer> ended() {
        return ended;
    }

    @Override
    public void stop(Duration grace) throws InterruptedException {
        if (!grace.isZero()) {
            process.destroy();
            process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS);
        }
        killSession();
        process.waitFor(KILL_SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** Whatever the command has started ends with it, as in a container. */
    private void killSession() {
        try {
            new ProcessBuilder("kill", "-KILL", "--", "-" + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(KILL_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }

    private static void read(Process process, ContainerLog log, CompletableFuture<Integer> ended) {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            log.copy(output);
        } catch (IOException | UncheckedIOException e) {
            // The pipe breaks when the process is killed; there is nothing more to read then.
            process.destroy();
        }
        try {
            ended.complete(process.waitFor());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
