package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath page}: prints an address at which the running cluster can be watched. */
@Command(
        name = "page",
        description = "Opens the live page of the running cluster, and prints its address.",
        mixinStandardHelpOptions = true)
final class PageCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "ADDRESS[:PORT]",
            defaultValue = PageAddress.DEFAULT,
            description = "Where it listens (default: ${DEFAULT-VALUE}, this machine alone, at a free port).")
    private String address = PageAddress.DEFAULT;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException {
        PageAddress where = PageAddress.parse("ADDRESS", address);
        String link = PageLink.open(ClusterRecord.requireRunning(), where);
        spec.commandLine().getOut().println(link);
        return 0;
    }
}
