package dev.nodepath.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.OutputForm;
import dev.nodepath.emulator.cluster.StatusFile;
import dev.nodepath.emulator.enclosure.Enclosure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath status}: nodes, pods and Services of the running cluster. */
@Command(
        name = "status",
        description = "Shows nodes, pods and Services of the running cluster.",
        footer = {"nodepath status", "nodepath status --watch", "nodepath status -o json"},
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LOOK_MILLIS = 200;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Output format: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private OutputForm form = OutputForm.TEXT;

    @Option(
            names = {"-w", "--watch"},
            description = "Prints it again after each change, until it is interrupted or the cluster ends.")
    private boolean watch;

    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ClusterFiles files = ClusterFiles.of(name);
        ClusterRecord record = files.requireRunning();
        Path file = record.inside(Enclosure.RUN.resolve(form == OutputForm.JSON ? StatusFile.JSON : StatusFile.TEXT));
        String printed = print(files, file);
        while (watch && record.process().isPresent()) {
            Thread.sleep(LOOK_MILLIS);
            if (Files.exists(file) && !Files.readString(file).equals(printed)) {
                spec.commandLine().getOut().println();
                printed = print(files, file);
            }
        }
        return 0;
    }

    private String print(ClusterFiles files, Path file) throws IOException {
        String status = Files.readString(file);
        PrintWriter out = spec.commandLine().getOut();
        if (form == OutputForm.JSON) {
            ObjectNode json = (ObjectNode) JSON.readTree(status);
            json.put("cluster", files.name()).put("folder", files.folder().toString());
            out.println(json.toPrettyString());
        } else {
            out.println("cluster " + files.name() + " in " + files.folder());
            out.println();
            out.print(status);
        }
        out.flush();
        return status;
    }
}
