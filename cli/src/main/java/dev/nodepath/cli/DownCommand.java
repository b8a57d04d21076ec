package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath down}: ends the running cluster, and returns when nothing of it is left. */
@Command(
        name = "down",
        description = "Ends the running cluster, if there is one.",
        footer = "nodepath down",
        mixinStandardHelpOptions = true)
final class DownCommand implements Callable<Integer> {
    /** The time limit for an orderly end; after it the cluster is killed. */
    static final Duration STOP_MAX = Duration.ofSeconds(20);

    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ClusterFiles files = ClusterFiles.of(name);
        Optional<ProcessHandle> process = files.running().flatMap(ClusterRecord::process);
        if (process.isPresent()) {
            end(process.get());
        }
        files.remove();
        PrintWriter out = spec.commandLine().getOut();
        out.println(process.isPresent() ? "the cluster has ended" : nothingToEnd(files));
        out.flush();
        return 0;
    }

    private static String nothingToEnd(ClusterFiles files) throws IOException, CommandException {
        List<String> others = files.others();
        return "no cluster \"" + files.name() + "\" is running: nothing to end"
                + (others.isEmpty() ? "" : " (running: " + String.join(", ", others) + ")");
    }

    /**
     * The enclosure's first process is a shell. The shell ignores signals, and ends after its child, the cluster's
     * process.
     */
    private static void end(ProcessHandle process) throws IOException, InterruptedException {
        process.children().forEach(ProcessHandle::destroy);
        if (!ends(process)) {
            process.destroyForcibly();
            ends(process);
        }
    }

    private static boolean ends(ProcessHandle process) throws IOException, InterruptedException {
        try {
            process.onExit().get(STOP_MAX.toSeconds() + 1, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IOException("waiting for the cluster's end failed", e);
        }
    }
}
