package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container with a command: process 1 of a PID namespace, so all processes that it starts end with it. The process
 * object here waits for it, and ends with its exit code.
 */
final class ContainerProcess implements Container {
    private static final long KILL_SECONDS_MAX = 5;
    private static final long LOOK_NANOS = 5_000_000;

    /** The limit of rounds: processes that are not seen yet may start others meanwhile. */
    private static final int KILLS_MAX = 100;

    /** SIGTERM in the kernel's sets of signals. */
    private static final long TERM = 1L << 14;

    private static final Logger LOG = LoggerFactory.getLogger(ContainerProcess.class);

    private final Process process;
    private final Path folder;
    private final ControlGroup group;
    private final ContainerStreams streams;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private volatile boolean ranOutOfMemory;

    private ContainerProcess(Process process, Path folder, ControlGroup group, ContainerStreams streams) {
        this.process = process;
        this.folder = folder;
        this.group = group;
        this.streams = streams;
    }

    /**
     * Starts the command.
     *
     * @param script written for this run
     * @param console its input
     * @param log gets its output
     */
    static ContainerProcess start(
            String name, EntryScript script, List<String> command, Console console, ContainerLog log)
            throws IOException {
        Path folder = script.folder();
        ControlGroup group = ControlGroups.make(script.limits());
        Process process;
        try {
            EntryScript.expectProcessOne(folder);
            process = around(script.start(command, group), console).start();
        } catch (IOException | RuntimeException e) {
            group.remove();
            EntryScript.forgetProcessOne(folder);
            throw e;
        }
        ContainerProcess container =
                new ContainerProcess(process, folder, group, new ContainerStreams(process, console));
        if (script.sharesProcesses()) {
            var unused = process.onExit().thenRun(container::endOthers);
        }
        Thread reader = new Thread(() -> container.read(log), "container-" + name);
        reader.setDaemon(true);
        reader.start();
        return container;
    }

    private static ProcessBuilder around(List<String> words, Console console) throws IOException {
        if (console.tty()) {
            return Terminal.around(words);
        }
        List<String> session = new ArrayList<>(List.of("setsid"));
        session.addAll(words);
        return new ProcessBuilder(session).redirectErrorStream(true);
    }

    @Override
    public Optional<ExecProcess> attach(ExecOptions options, ExecOutput output) {
        return streams.attach(options, output);
    }

    @Override
    public CompletableFuture<Integer> ended() {
        return ended;
    }

    @Override
    public boolean ranOutOfMemory() {
        return ranOutOfMemory;
    }

    /**
     * Sends SIGTERM to process 1, unless the signal has its default action there: the kernel hides such a signal from a
     * process 1, so a wait would be of no use.
     */
    @Override
    public void stop(Duration grace) throws InterruptedException {
        // After the process has ended, the folder may belong to another run.
        Optional<ProcessHandle> first = process.isAlive() ? EntryScript.processOne(folder) : Optional.empty();
        if (!grace.isZero() && first.isPresent() && minds(first.get())) {
            first.get().destroy();
            process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS);
        }
        first.ifPresentOrElse(ProcessHandle::destroyForcibly, process::destroyForcibly);
        if (!process.waitFor(KILL_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private static boolean minds(ProcessHandle process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc", String.valueOf(process.pid()), "status"))) {
            return lines.filter(line -> line.startsWith("SigCgt:") || line.startsWith("SigIgn:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & TERM) != 0);
        } catch (IOException | UncheckedIOException e) {
            // It has ended.
            return false;
        }
    }

    /**
     * All processes of a container end with its first. The kernel ends them only if that is the first process of a PID
     * namespace.
     */
    private void endOthers() {
        try {
            for (int time = 0; time < KILLS_MAX; time++) {
                Optional<List<ProcessHandle>> members = group.processes();
                List<ProcessHandle> others = members.isPresent() ? members.get() : EntryScript.processes(folder);
                if (others.isEmpty()) {
                    return;
                }
                others.forEach(ProcessHandle::destroyForcibly);
            }
        } catch (IOException e) {
            // It had no process yet.
            return;
        }
    }

    private void removeTrees() throws IOException {
        if (ContainerRoot.hasTrees(folder)) {
            while (process.isAlive() && EntryScript.processOne(folder).isEmpty()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            ContainerRoot.removeTrees(folder);
        }
    }

    private void read(ContainerLog log) {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(streams.output(), StandardCharsets.UTF_8))) {
            removeTrees();
            log.copy(output);
        } catch (IOException | UncheckedIOException e) {
            // The pipe breaks when the process is killed; there is nothing more to read then.
            EntryScript.processOne(folder).ifPresent(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        try {
            int exitCode = process.waitFor();
            ranOutOfMemory = group.ranOutOfMemory();
            group.remove();
            try {
                EntryScript.forgetProcessOne(folder);
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("folder", folder)
                        .addKeyValue("problem", e.getMessage())
                        .log("container.files_left");
            }
            ended.complete(exitCode);
            streams.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
