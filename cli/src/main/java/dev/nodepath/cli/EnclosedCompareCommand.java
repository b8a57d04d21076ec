package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.cluster.BridgeNetfilterCheck;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.ComesWithNodepath;
import dev.nodepath.emulator.cluster.Topology;
import dev.nodepath.emulator.cluster.TopologyException;
import dev.nodepath.emulator.cluster.TopologyReader;
import dev.nodepath.emulator.compare.Comparison;
import dev.nodepath.emulator.compare.ComparisonResult;
import dev.nodepath.emulator.compare.Progress;
import dev.nodepath.emulator.compare.ResultTable;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.JavaCommand;
import dev.nodepath.emulator.enclosure.Lifeline;
import dev.nodepath.emulator.traffic.CongestionControl;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.Environment;
import dev.nodepath.report.MachineProbe;
import dev.nodepath.report.Report;
import dev.nodepath.report.form.ReportFolder;
import dev.nodepath.report.form.TerminalReport;
import dev.nodepath.report.form.Wrapped;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The comparison itself, inside the enclosure. Not for people: {@code nodepath compare} starts it. */
@Command(name = EnclosedCompareCommand.NAME, hidden = true)
final class EnclosedCompareCommand implements Callable<Integer> {
    static final String NAME = "enclosed-compare";

    @Mixin
    private final CompareOptions options = new CompareOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException, TopologyException {
        Enclosure.requireInside();
        Lifeline.hold();
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = new Progress(out);
        MachineProbe probe = new MachineProbe();
        Environment environment = probe.before(Map.of(
                "iptables",
                BridgeNetfilterCheck.require(),
                "congestion control in the cluster",
                CongestionControl.NAME));
        Instant started = Instant.now();
        ComparisonResult result = compare(progress);
        Report report = new Report(
                "Proxy modes compared",
                started,
                Duration.between(started, Instant.now()),
                environment.with(probe.during()),
                List.of(result.toSuite()),
                false,
                "scripts/nodepath compare --seconds=" + options.seconds());
        new ReportFolder(options.report()).write(report);
        out.println();
        out.print(ResultTable.answers(result).toTerminal());
        out.println();
        out.print(ResultTable.figures(result).toTerminal());
        out.print(Wrapped.text("", ResultTable.NOTE));
        int exitCode = conclude(result, out);
        out.print(TerminalReport.doubts(report));
        out.println("Report: " + options.report().resolve("report.html"));
        out.flush();
        return exitCode;
    }

    private ComparisonResult compare(Progress progress)
            throws CommandException, IOException, InterruptedException, TopologyException {
        Topology topology = TopologyReader.read(ComesWithNodepath.TWO_NODES.write(Enclosure.RUN));
        progress.say("starting a cluster of " + topology.nodes().size() + " nodes; all in all about "
                + Comparison.estimate(options.length()).toSeconds() + " s on an idle machine");
        try (Cluster cluster = Cluster.start(
                topology, new KernelLinuxNet(), JavaCommand.ofThisProcess(), Enclosure.RUN, Optional.empty())) {
            cluster.awaitReady();
            progress.say(topology.nodes().size() + " nodes and "
                    + cluster.pods().size() + " pods are up, wired by nodepath-bridge");
            return new Comparison(cluster, options.length(), progress).run();
        }
    }

    private static int conclude(ComparisonResult result, PrintWriter out) {
        out.println();
        result.failures()
                .forEach(failure -> out.print(Wrapped.text(
                        "FAILED ", failure.contender() + ": " + failure.what() + " (" + failure.observed() + ")")));
        int all = result.checks().size();
        out.println((all - result.failures().size()) + " of " + all + " expectations met.");
        return result.failures().isEmpty() ? 0 : CommandException.FAILED;
    }
}
