package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.UnknownName;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Preflight;
import dev.nodepath.emulator.kubelet.Places;
import dev.nodepath.emulator.kubelet.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nodepath exec POD -- CMD}: runs a command in a pod, a node, the switch, the router or the client. */
@Command(
        name = "exec",
        description = {
            "Runs a command in a pod or a node of the running cluster.",
            "Or in the network of the switch, the router or the client outside. In a pod it sees the pod's names, files"
                    + " and variables, too."
        },
        footer = {
            "nodepath exec client-1 -- curl -s web",
            "nodepath exec n1 -- ip route",
            "nodepath exec -c main default/web-1 -- cat /etc/hosts"
        },
        exitCodeList = {
            "0:The command's was 0.",
            "1:No cluster is running, or the command's was 1.",
            "2:Wrong usage, or the command's was 2.",
            "3..255:The command's."
        },
        mixinStandardHelpOptions = true)
final class ExecCommand implements Callable<Integer> {
    private static final int BUFFER_BYTES = 64 * 1024;
    /** The most output that is left in the pipe of an ended command: 64 KiB, and one read. */
    private static final int REST_BYTES = 2 * BUFFER_BYTES;
    /** The longest pause between two looks for output of a silent command. */
    private static final long LOOK_MILLIS_MAX = 20;
    /** The wait for a command's output after a signal. */
    private static final long LAST_WORDS_MILLIS = 1000;

    @Parameters(
            index = "0",
            paramLabel = "POD",
            description = "Name of a pod, NAMESPACE/POD, a node, or 'switch', 'router' or 'client'.")
    private String place = "";

    @Option(
            names = {"-c", "--container"},
            paramLabel = "NAME",
            description = "The pod's container (default: its first).")
    private @Nullable String container;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "CMD",
            description = "The command and its arguments, after '--'.")
    private List<String> command = List.of();

    @Mixin
    private final ClusterName name = new ClusterName();

    /** The process that enters the cluster; its child is the command. */
    private @Nullable Process front;

    /** The threads that copy the command's output. */
    private volatile List<Thread> copies = List.of();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ProcessBuilder builder =
                inside(ClusterFiles.of(name).requireRunning(), place, Optional.ofNullable(container), command);
        // Before the start: a signal may come as soon as the command runs.
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "exec-end"));
        Process process = start(builder);
        if (builder.redirectInput().equals(Redirect.PIPE)) {
            startThread("exec-input", () -> copyInput(process.getOutputStream()));
            copies = List.of(
                    startThread("exec-output", () -> copy(process, process.getInputStream(), FileDescriptor.out)),
                    startThread("exec-errors", () -> copy(process, process.getErrorStream(), FileDescriptor.err)));
        }
        for (Thread each : copies) {
            each.join();
        }
        return process.waitFor();
    }

    /**
     * The process that runs a command in a pod, a node or another place. Only a pod without a terminal gets pipes.
     */
    static ProcessBuilder inside(ClusterRecord record, String place, Optional<String> container, List<String> command)
            throws CommandException, IOException {
        Places outside = new Places(record.inside(Enclosure.RUN));
        Optional<Path> script = outside.find(place, container);
        if (script.isEmpty()) {
            List<String> containers = outside.containers(place);
            throw container.isEmpty() || containers.isEmpty()
                    ? UnknownName.of("POD", place, outside.names())
                    : UnknownName.of("--container", container.get(), containers);
        }
        List<String> full =
                new ArrayList<>(List.of("nsenter", "--target=" + record.pid(), "--mount", "--net", "--pid"));
        if (!Preflight.isRoot()) {
            full.addAll(List.of("--user", "--preserve-credentials"));
        }
        Path inside =
                new Places(Enclosure.RUN).folder().resolve(outside.folder().relativize(script.get()));
        full.addAll(List.of("--", inside.toString()));
        full.addAll(command);
        boolean inPod = !script.get().startsWith(outside.hosts());
        return inPod ? apart(full) : new ProcessBuilder(full).inheritIO();
    }

    /**
     * A pod's program could type into its controlling terminal. So it gets a terminal of its own if a person uses this
     * one, and else none. It could also change a file that is its input or output (through {@code /proc/self/fd}), or
     * read a terminal after its end. Otherwise it gets pipes.
     */
    private static ProcessBuilder apart(List<String> full) throws IOException {
        if (!Terminal.isHere()) {
            full.add(0, "setsid");
            return new ProcessBuilder(full);
        }
        ProcessBuilder builder = Terminal.around(full).inheritIO();
        builder.environment().put("TERM", System.getenv().getOrDefault("TERM", "xterm"));
        return builder;
    }

    private static Thread startThread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Nothing waits for the end of this thread: the command may read nothing. */
    private static void copyInput(OutputStream to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (to) {
            if (!Terminal.givesInput()) {
                return;
            }
            for (int read = System.in.read(buffer); read >= 0; read = System.in.read(buffer)) {
                to.write(buffer, 0, read);
                to.flush();
            }
        } catch (IOException e) {
            // The command reads no further.
            return;
        }
    }

    /**
     * Copies output until the command has ended. It looks for output and does not wait in a read, as a process that the
     * command leaves behind may keep the pipe open.
     */
    private static void copy(Process process, InputStream from, FileDescriptor to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        long pause = 0;
        int rest = REST_BYTES;
        OutputStream output = new FileOutputStream(to);
        try (from) {
            while (true) {
                boolean ended = process.waitFor(pause, TimeUnit.MILLISECONDS);
                int length = Math.min(from.available(), buffer.length);
                if (ended && (length == 0 || rest <= 0)) {
                    return;
                } else if (length > 0) {
                    output.write(buffer, 0, from.read(buffer, 0, length));
                    rest -= ended ? length : 0;
                    pause = 0;
                } else {
                    pause = Math.min(pause + 1, LOOK_MILLIS_MAX);
                }
            }
        } catch (IOException e) {
            // The reader of this process's output is gone. The command notices it by its closed pipe.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Process start(ProcessBuilder builder) throws IOException {
        Process started = builder.start();
        front = started;
        return started;
    }

    /** A signal ends the command too. The processes in front of it only wait for it, and end with its exit code. */
    private synchronized void end() {
        Process started = front;
        if (started == null) {
            return;
        }
        List<ProcessHandle> behind = started.descendants()
                .filter(each -> each.info().command().stream().noneMatch(program -> program.endsWith("/nsenter")))
                .toList();
        behind.forEach(ProcessHandle::destroy);
        if (behind.isEmpty()) {
            started.destroy();
        }
        try {
            for (Thread each : copies) {
                each.join(LAST_WORDS_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
