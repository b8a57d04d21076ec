package dev.nodepath.cli;

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
        description = {
            "Compares the proxy modes in an emulated cluster of two nodes.",
            "It runs real traffic directly and through every mode, prints a table and writes a report."
        },
        footer = {"nodepath compare", "nodepath compare --seconds=2 --report=nodepath-report/long"},
        exitCodeList = {"0:Done, and all expectations are met.", "1:Failed, or an expectation is not met."},
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
        return Enclosure.ofThisProcess()
                .run(List.of(EnclosedCompareCommand.NAME, "--report=" + report, "--seconds=" + options.seconds()));
    }
}
