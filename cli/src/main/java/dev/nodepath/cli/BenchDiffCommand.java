package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.report.ReportDiff;
import dev.nodepath.report.form.DiffText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath bench diff}: what changed between two reports. */
@Command(
        name = "diff",
        description = {
            "Prints the figures that differ between two reports by more than the spread of their rounds.",
            "A figure with a baseline is compared by its ratio to it."
        },
        footer = {
            "nodepath bench diff nodepath-report/before nodepath-report/bench",
            "nodepath bench diff before after --fail-above=10"
        },
        exitCodeList = "1:Failed, or a figure is worse than --fail-above allows.",
        mixinStandardHelpOptions = true)
final class BenchDiffCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "A", description = "The first report: its folder, or its report.json.")
    private Path first = Path.of("");

    @Parameters(index = "1", paramLabel = "B", description = "The second report: its folder, or its" + " report.json.")
    private Path second = Path.of("");

    @Option(
            names = "--fail-above",
            paramLabel = "PERCENT",
            description = "End with exit code 1 if a figure of Nodepath in B is worse than in A by more than this,"
                    + " beyond the spread of their rounds. Figures of other programs do not count.")
    private @Nullable Double failAbove;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException {
        if (failAbove != null && !(failAbove >= 0)) {
            throw CommandException.wrongUsage(List.of("--fail-above: " + failAbove + " (expected: >= 0)"));
        }
        ReportDiff diff = ReportDiff.of(BenchShowCommand.read(first), BenchShowCommand.read(second));
        if (diff.changes().isEmpty()) {
            throw CommandException.wrongUsage(
                    List.of(second + ": has no figure of " + first + " (expected: a report of the same suites)"));
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(DiffText.render(diff));
        double limit = failAbove == null ? Double.POSITIVE_INFINITY : failAbove / 100;
        long worse = diff.significant().stream()
                .filter(change -> OwnContenders.include(change.contender()) && change.worse() > limit)
                .count();
        if (failAbove != null) {
            out.println(String.format(Locale.ROOT, "%d worse by more than %s %%.", worse, failAbove));
        }
        out.flush();
        return worse == 0 ? 0 : CommandException.FAILED;
    }
}
