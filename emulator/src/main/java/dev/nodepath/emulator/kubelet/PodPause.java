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
 * The pause process of a Pod, as Kubernetes' infrastructure container. It holds what the Pod's containers share beside
 * the network: the hostname, the IPC namespace, the memory at {@code /dev/shm} and the files in {@code /etc}; with
 * {@code shareProcessNamespace} the processes too, of which it is the first. It starts with the first process of a
 * container, and anew if somebody has ended it.
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
     * A process that is not there yet.
     *
     * @param folder for what it needs
     * @param files that containers see in {@code /etc}; they may not be there
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
     * The words before a command that give its first child a new container of this Pod.
     *
     * @param target a process whose PID namespace it gets, instead of one of its own
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
        // What enters stays outside, and what it starts is inside.
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
