package dev.nodepath.emulator;

import dev.nodepath.agent.CommandException;
import dev.nodepath.agent.Nodepath;
import dev.nodepath.emulator.cluster.BridgeNetfilter;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.compare.Comparison;
import dev.nodepath.emulator.compare.Progress;
import dev.nodepath.emulator.report.CompareReport;
import dev.nodepath.emulator.report.Environment;
import dev.nodepath.emulator.report.ReportFolder;
import dev.nodepath.emulator.report.ResultTable;
import dev.nodepath.emulator.topology.Topology;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.IOException;
import java.io.PrintWriter;
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
    public Integer call() throws CommandException, IOException, InterruptedException, ManifestException {
        Enclosure.requireInside();
        Lifeline.hold();
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = new Progress(out);
        Environment environment = Environment.detect(BridgeNetfilter.require());
        CompareReport report = compare(environment, progress);
        out.println();
        out.print(ResultTable.of(report).toText());
        out.println(ResultTable.NOTE);
        int exitCode = conclude(report, out);
        ReportFolder.write(report, options.report());
        out.println("Report: " + options.report().resolve("report.html"));
        out.flush();
        return exitCode;
    }

    private CompareReport compare(Environment environment, Progress progress)
            throws CommandException, IOException, InterruptedException, ManifestException {
        Topology topology = DefaultTopology.write(Enclosure.RUN.resolve("two-nodes.yaml"));
        try (Cluster cluster = Cluster.start(
                topology, new KernelLinuxNet(), JavaCommand.ofThisProcess(), Enclosure.RUN, Optional.empty())) {
            progress.say(topology.nodes().size() + " nodes and "
                    + topology.pods().size() + " pods are up, wired by nodepath-bridge");
            cluster.awaitReady();
            return new Comparison(cluster, environment, options.length(), progress).run();
        }
    }

    private int conclude(CompareReport report, PrintWriter out) {
        out.println();
        report.failures()
                .forEach(failure -> out.println(
                        "FAILED " + failure.mode() + ": " + failure.what() + " (" + failure.observed() + ")"));
        int all = report.expectations().size();
        out.println((all - report.failures().size()) + " of " + all + " expectations met.");
        out.flush();
        return report.failures().isEmpty() ? 0 : Nodepath.FAILED;
    }
}
