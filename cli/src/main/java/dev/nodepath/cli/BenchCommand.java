package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.report.Report;
import dev.nodepath.report.ReportException;
import dev.nodepath.report.form.ReportFolder;
import dev.nodepath.report.form.TerminalReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath bench}: starts a run in an enclosure of its own and waits for it. */
@Command(
        name = "bench",
        description = {
            "Measures Nodepath and other proxies on this machine, in namespaces of its own.",
            "Suites: userspace, userspace-reno, iptables, nftables, scale, programming, start, soak, cni,"
                    + " churn, policy."
        },
        footer = {
            "nodepath bench --quick",
            "nodepath bench userspace cni --rounds=3",
            "nodepath bench --peers=haproxy,nginx --kube-proxy=/usr/local/bin/kube-proxy"
        },
        exitCodeList = {"0:Done, and all expectations are met.", "1:Failed, or an expectation is not met."},
        subcommands = {BenchDiffCommand.class, BenchShowCommand.class},
        mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        options.suites();
        options.rounds();
        options.peers();
        options.kubeProxy();
        ReportTarget.prepare(options.report());
        List<String> arguments = new ArrayList<>(List.of(EnclosedBenchCommand.NAME));
        arguments.addAll(options.arguments());
        keepEarlier();
        return Enclosure.ofThisProcess().run(arguments, this::showInterrupted);
    }

    private void keepEarlier() throws IOException {
        Optional<Path> kept = new ReportFolder(options.report()).keepEarlier();
        kept.ifPresent(folder -> {
            spec.commandLine().getOut().println("bench: the report of the last run is kept in " + folder);
            spec.commandLine().getOut().flush();
        });
    }

    /** The run has ended; its report so far is on disk. */
    private void showInterrupted() {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        report().ifPresentOrElse(
                        report -> {
                            out.print(TerminalReport.render(report));
                            out.println("bench: interrupted; what was measured until then is in " + options.report());
                        },
                        () -> out.println("bench: interrupted before a first result"));
        out.flush();
    }

    /** The report of this run: an earlier one was put away. */
    private Optional<Report> report() {
        try {
            return Optional.of(new ReportFolder(options.report()).read());
        } catch (IOException | ReportException e) {
            return Optional.empty();
        }
    }
}
