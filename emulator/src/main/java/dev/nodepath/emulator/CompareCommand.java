package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Preflight;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code nodepath compare}: starts a comparison in an enclosure of its own and waits for it. */
@Command(
        name = "compare",
        description =
                "Emulates a two-node cluster on this machine, runs real traffic directly and through every proxy mode,"
                        + " prints a table and writes a report.",
        mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
    @Mixin
    private final CompareOptions options = new CompareOptions();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        options.check();
        Path report = options.report().toAbsolutePath().normalize();
        ReportTarget.prepare(report);
        Preflight.ofThisProcess().check();
        ClusterRecord.removeStale();
        return Enclosure.ofThisProcess()
                .run(List.of(EnclosedCompareCommand.NAME, "--report=" + report, "--seconds=" + options.seconds()));
    }
}
