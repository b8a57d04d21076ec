package dev.nodepath.emulator.kubelet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pause process of a Pod, like Kubernetes' infrastructure container. It holds what the Pod's containers share
 * besides the network: the hostname, the IPC namespace, the memory at {@code /dev/shm} and the files in {@code /etc}.
 * With {@code shareProcessNamespace} it is the first of their common processes. It starts with the first process of a
 * container, and again if it was killed.
 */
final class PodPause {
    private static final String NAME = "pause";

    private final Path folder;
    private final PodFiles files;
    private final Supplier<Path> network;
    private final String hostname;
    private final boolean sharesProcesses;
    private @Nullable Process process;
    private String number = "";
    private boolean stopped;

    /**
     * A pause process that is yet to start.
     *
     * @param folder its own folder
     * @param files the files in {@code /etc} of the containers; they may be absent
     * @param network the file of the Pod's network namespace
     * @param sharesProcesses whether containers see each other's processes
     */
    PodPause(Path folder, PodFiles files, Supplier<Path> network, String hostname, boolean sharesProcesses) {
        this.folder = folder;
        this.files = files;
        this.network = network;
        this.hostname = hostname;
        this.sharesProcesses = sharesProcesses;
    }

    boolean sharesProcesses() {
        return sharesProcesses;
    }

    /** The memory that containers share. */
    Path sharedMemory() {
        return folder.resolve("shm");
    }

    /**
     * The words before a command that make its first child a new container of this Pod.
     *
     * @param target a process in the PID namespace to enter; empty for a new namespace
     */
    synchronized List<String> container(Optional<ProcessHandle> target) throws IOException {
        if (stopped) {
            throw new IOException("the Pod has ended");
        }
        if (process == null || !process.isAlive()) {
            start();
        }
        List<String> words =
                new ArrayList<>(List.of("nsenter", "--net=" + network.get(), "--target=" + number, "--uts", "--ipc"));
        // The entering process stays outside of the PID namespace, and its child is inside.
        words.addAll(sharesProcesses ? List.of("--pid", "--no-fork", "--") : List.of("--"));
        target.ifPresent(
                process -> words.addAll(List.of("nsenter", "--target=" + process.pid(), "--pid", "--no-fork", "--")));
        words.addAll(List.of("unshare", "--mount"));
        words.addAll(sharesProcesses || target.isPresent() ? List.of() : List.of("--pid"));
        words.add("--");
        return words;
    }

    private void start() throws IOException {
        Path script = folder.resolve(NAME);
        MemoryFolder.make(sharedMemory(), "mode=1777,size=64m");
        if (process == null) {
            files.limit();
        }
        EntryScript.write(NAME, script);
        List<String> command = new ArrayList<>(List.of("setsid", "unshare", "--uts", "--ipc"));
        command.addAll(sharesProcesses ? List.of("--pid", "--fork", "--kill-child=KILL", "--") : List.of("--"));
        command.addAll(List.of(script.toString(), hostname));
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        process = started;
        BufferedReader output = started.inputReader(StandardCharsets.UTF_8);
        String line = String.valueOf(output.readLine());
        if (!line.matches("\\d+")) {
            started.destroyForcibly();
            throw new IOException(
                    "pause process: " + line + output.lines().map(" "::concat).collect(Collectors.joining()));
        }
        number = line;
    }

    synchronized void stop() {
        stopped = true;
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
        }
    }
}
