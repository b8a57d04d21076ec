package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath page}: prints an address at which the running cluster can be watched. */
@Command(
        name = "page",
        description = "Opens the live page of the running cluster, or a recording of one, and prints its address.",
        footer = {"nodepath page", "nodepath page 0.0.0.0:8080", "nodepath page --replay=recording.json"},
        exitCodeList = "130:A recording's page has ended by Ctrl-C.",
        mixinStandardHelpOptions = true)
final class PageCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "ADDRESS[:PORT]",
            defaultValue = PageAddress.DEFAULT,
            description = "Where it listens (default: ${DEFAULT-VALUE}, this machine alone, at a free port).")
    private String address = PageAddress.DEFAULT;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description =
                    "Shows a recording that was saved from a live page. It needs no cluster, and ends with Ctrl-C.")
    private @Nullable Path replay;

    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        PageAddress where = PageAddress.parse("ADDRESS", address);
        where.requireFree("ADDRESS");
        if (replay != null) {
            return ReplayedPage.serve(replay, where, spec.commandLine().getOut());
        }
        String link = PageLink.open(ClusterFiles.of(name).requireRunning(), where);
        spec.commandLine().getOut().println(link);
        return 0;
    }
}
