package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.bench.suite.BenchRun;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Versions;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Lifeline;
import dev.nodepath.report.MachineProbe;
import dev.nodepath.report.Report;
import dev.nodepath.report.form.ReportFolder;
import dev.nodepath.report.form.TerminalReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The run itself, inside the enclosure. Not for people: {@code nodepath bench} starts it. */
@Command(name = EnclosedBenchCommand.NAME, hidden = true)
final class EnclosedBenchCommand implements Callable<Integer> {
    static final String NAME = "enclosed-bench";

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        Enclosure.requireInside();
        Lifeline.hold();
        PrintWriter out = spec.commandLine().getOut();
        ReportFolder folder = new ReportFolder(options.report());
        BenchRun run = new BenchRun(folder, out, InstantSource.system(), new MachineProbe(), options.command());
        SuiteSettings settings = new SuiteSettings(
                options.rounds(), options.quick(), options.peers(), options.kubeProxy(), line -> {}, result -> {});
        Report report = run.run(options.suites(), settings, Versions.ofThisMachine());
        out.println();
        out.print(TerminalReport.doubts(report));
        out.println("Report: " + folder.path().resolve("report.html"));
        out.flush();
        return report.passed() ? 0 : CommandException.FAILED;
    }
}
