package dev.nodepath.emulator;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.UnknownName;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Preflight;
import dev.nodepath.emulator.kubelet.Places;
import dev.nodepath.emulator.kubelet.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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

    /** What enters the cluster; its child is the command. */
    private @Nullable Process front;

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ProcessBuilder builder =
                inside(ClusterFiles.of(name).requireRunning(), place, Optional.ofNullable(container), command);
        // Before the start: a signal may come as soon as the command runs.
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "exec-end"));
        return start(builder.inheritIO()).waitFor();
    }

    /** What runs a command in a pod, a node or the like. */
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
        return inPod ? apart(full) : new ProcessBuilder(full);
    }

    /**
     * A program of a pod could type into the terminal that controls it. So it gets one of its own if a person sits
     * here, and else none.
     */
    private static ProcessBuilder apart(List<String> full) throws IOException {
        if (!Terminal.isHere()) {
            full.add(0, "setsid");
            return new ProcessBuilder(full);
        }
        ProcessBuilder builder = Terminal.around(full);
        builder.environment().put("TERM", System.getenv().getOrDefault("TERM", "xterm"));
        return builder;
    }

    private synchronized Process start(ProcessBuilder builder) throws IOException {
        Process started = builder.start();
        front = started;
        return started;
    }

    /** A signal ends the command too. Those in front of it only wait for it, and end with its exit code. */
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
    }
}
