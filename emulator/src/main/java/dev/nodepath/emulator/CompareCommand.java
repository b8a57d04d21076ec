package dev.nodepath.emulator;

import dev.nodepath.agent.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code nodepath compare}: the front of a comparison, which runs in an enclosure of its own. */
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
        if (Files.exists(report) && !Files.isDirectory(report)) {
            throw CommandException.wrongUsage(
                    List.of("--report: " + report + " is a file (expected: a folder, or nothing there yet)"));
        }
        prepare(report);
        Preflight.ofThisProcess().check();
        ClusterRecord.removeStale();
        return Enclosure.ofThisProcess()
                .run(List.of(EnclosedCompareCommand.NAME, "--report=" + report, "--seconds=" + options.seconds()));
    }

    /** Before a minute of work, not after it. */
    private static void prepare(Path report) throws CommandException {
        if (report.startsWith("/run")) {
            throw CommandException.wrongUsage(List.of(
                    "--report: " + report + " (expected: not below /run, which the cluster has one of its own of)"));
        }
        try {
            Files.createDirectories(report);
            Files.delete(Files.createTempFile(report, "probe", ""));
        } catch (IOException e) {
            throw CommandException.wrongUsage(List.of("--report: " + report + " cannot be written: "
                    + e.getClass().getSimpleName() + " (expected: a folder that can)"));
        }
    }
}
