package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.cluster.StatusFile;
import dev.nodepath.emulator.enclosure.Enclosure;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath status}: nodes, pods and Services of the running cluster. */
@Command(
        name = "status",
        description = "Shows nodes, pods and Services of the running cluster.",
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException {
        ClusterRecord record = ClusterRecord.requireRunning();
        String status = Files.readString(record.inside(Enclosure.RUN.resolve(StatusFile.NAME)));
        spec.commandLine().getOut().print(status);
        spec.commandLine().getOut().flush();
        return 0;
    }
}
