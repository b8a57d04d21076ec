package dev.nodepath.bench;

import dev.nodepath.agent.CommandException;
import dev.nodepath.emulator.Enclosure;
import dev.nodepath.emulator.ReportTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code nodepath bench}: the front of a run, which is in an enclosure of its own. */
@Command(
        name = "bench",
        description = "Measures on this machine, in namespaces of its own, beside what others do the same with."
                + " Suites: userspace, iptables, scale, programming, cni, churn.",
        subcommands = {BenchDiffCommand.class, BenchShowCommand.class},
        mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
    private final List<Suite> suites;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    BenchCommand(List<Suite> suites) {
        this.suites = suites;
    }

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        options.choose(suites);
        options.rounds();
        options.peers();
        options.kubeProxy();
        ReportTarget.prepare(options.report());
        List<String> arguments = new ArrayList<>(List.of(EnclosedBenchCommand.NAME));
        arguments.addAll(options.arguments());
        return Enclosure.ofThisProcess().run(arguments);
    }
}
