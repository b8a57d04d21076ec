package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.UnknownName;
import dev.nodepath.emulator.cluster.LogFiles;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.kubelet.LogLines;
import dev.nodepath.emulator.kubelet.Places;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath logs POD|NODE}: the output of a pod's container, or of a node's agent. */
@Command(
        name = "logs",
        description = "Prints the output of a pod's container, or the log of a node's agent.",
        footer = {"nodepath logs web-1", "nodepath logs -f n1", "nodepath logs --previous -c main default/web-1"},
        mixinStandardHelpOptions = true)
final class LogsCommand implements Callable<Integer> {
    private static final long LOOK_MILLIS = 200;

    @Parameters(index = "0", paramLabel = "POD|NODE", description = "Name of a pod, NAMESPACE/POD, or of a node.")
    private String place = "";

    @Option(
            names = {"-c", "--container"},
            paramLabel = "NAME",
            description = "The container (default: the pod's first).")
    private @Nullable String container;

    @Option(
            names = {"-f", "--follow"},
            description = "Goes on until it is interrupted or the cluster ends.")
    private boolean follow;

    @Option(
            names = {"-p", "--previous"},
            description = "The container's run before its last restart.")
    private boolean previous;

    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ClusterRecord record = ClusterFiles.of(name).requireRunning();
        LogFiles files = new LogFiles(record.inside(Enclosure.RUN));
        Optional<String> wanted = container == null
                ? new Places(record.inside(Enclosure.RUN)).firstContainer(place)
                : Optional.of(container);
        Optional<Path> file = files.find(place, wanted, previous);
        if (file.isEmpty()) {
            throw noLog(files);
        }
        try (LogLines lines = new LogLines(file.get())) {
            print(lines);
            while (follow && record.process().isPresent()) {
                Thread.sleep(LOOK_MILLIS);
                print(lines);
            }
        }
        return 0;
    }

    private CommandException noLog(LogFiles files) throws IOException {
        List<String> names = files.names();
        List<String> containers = files.containers(place);
        if (container != null && !containers.isEmpty() && !containers.contains(container)) {
            return UnknownName.of("--container", container, containers);
        }
        return previous && names.contains(PodView.shown(PodView.keyOf(place)))
                ? CommandException.failed(
                        "--previous: " + place + " has no run before this one (expected: one that has restarted)")
                : UnknownName.of("POD|NODE", place, names);
    }

    private void print(LogLines lines) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        for (String line = lines.next(); line != null; line = lines.next()) {
            out.println(LogFiles.withoutTime(line));
        }
        out.flush();
    }
}
