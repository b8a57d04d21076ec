package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.NearNames;
import dev.nodepath.bench.cni.CniSuite;
import dev.nodepath.bench.paths.ChurnSuite;
import dev.nodepath.bench.paths.PathSuite;
import dev.nodepath.bench.paths.ScaleSuite;
import dev.nodepath.bench.policy.PolicySuite;
import dev.nodepath.bench.programming.ProgrammingSuite;
import dev.nodepath.bench.programming.SoakSuite;
import dev.nodepath.bench.programming.StartSuite;
import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Contender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

final class BenchOptions {
    private static final int ROUNDS_MAX = 100;

    @Parameters(paramLabel = "SUITE", arity = "0..*", description = "Suites to run (default: all).")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--quick",
            description = "Measure less: fewer rounds, shorter measurements, fewer cluster" + " sizes.")
    private boolean quick;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds, 1 to " + ROUNDS_MAX
                    + ". Each round measures each program once; figures are medians (default: " + SuiteSettings.ROUNDS
                    + ", quick "
                    + SuiteSettings.QUICK_ROUNDS + ").")
    private @Nullable Integer rounds;

    @Option(
            names = "--peers",
            paramLabel = "NAME[,NAME]",
            defaultValue = "auto",
            description = "Other programs to measure: haproxy, nginx, debian-cni; auto takes those that are"
                    + " installed, none takes none (default: ${DEFAULT-VALUE}).")
    private String peers = "auto";

    @Option(names = "--kube-proxy", paramLabel = "PATH", description = "A kube-proxy binary to measure too.")
    private @Nullable Path kubeProxy;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            defaultValue = "nodepath-report/bench",
            description = "Folder for report.md, report.json and report.html (default: ${DEFAULT-VALUE}).")
    private Path report = Path.of("nodepath-report", "bench");

    /** The named suites in the order of the command line; all suites if none is named. */
    List<Suite> suites() throws CommandException {
        List<Suite> suites = all();
        List<String> known = suites.stream().map(Suite::name).toList();
        // A mistyped command of bench looks like a suite.
        List<String> words =
                Stream.concat(known.stream(), Stream.of("diff", "show")).toList();
        List<Suite> chosen = new ArrayList<>();
        for (String name : names.isEmpty() ? known : names) {
            if (!known.contains(name)) {
                throw CommandException.wrongUsage(List.of("SUITE: \"" + name + "\" (expected: "
                        + String.join(", ", known) + ")" + NearNames.hint(name, words)));
            }
            Suite suite = suites.get(known.indexOf(name));
            if (!chosen.contains(suite)) {
                chosen.add(suite);
            }
        }
        return chosen;
    }

    private static List<Suite> all() {
        PathSuite userspace = PathSuite.of(Contender.USERSPACE);
        return List.of(
                userspace,
                userspace.under("reno"),
                PathSuite.of(Contender.IPTABLES),
                PathSuite.of(Contender.NFTABLES),
                new ScaleSuite(),
                new ProgrammingSuite(),
                new StartSuite(),
                new SoakSuite(),
                new CniSuite(),
                new ChurnSuite(),
                new PolicySuite());
    }

    int rounds() throws CommandException {
        if (rounds == null) {
            return quick ? SuiteSettings.QUICK_ROUNDS : SuiteSettings.ROUNDS;
        }
        if (rounds < 1 || rounds > ROUNDS_MAX) {
            throw CommandException.wrongUsage(List.of("--rounds: " + rounds + " (expected: 1 to " + ROUNDS_MAX + ")"));
        }
        return rounds;
    }

    boolean quick() {
        return quick;
    }

    Peers peers() throws CommandException {
        try {
            return Peers.parse(peers);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("--peers: " + e.getMessage()));
        }
    }

    Optional<Path> kubeProxy() throws CommandException {
        if (kubeProxy == null) {
            return Optional.empty();
        }
        Path path = kubeProxy.toAbsolutePath().normalize();
        if (!Files.isRegularFile(path) || !Files.isExecutable(path)) {
            throw CommandException.wrongUsage(
                    List.of("--kube-proxy: " + path + ": not found (expected: an executable file)"));
        }
        return Optional.of(path);
    }

    Path report() {
        return report.toAbsolutePath().normalize();
    }

    /** The options as arguments for the process inside the enclosure. The report's folder is absolute. */
    List<String> arguments() throws CommandException {
        List<String> arguments = new ArrayList<>(names);
        arguments.addAll(chosen());
        arguments.add("--report=" + report());
        return arguments;
    }

    /** The command line that repeats this run. */
    String command() throws CommandException {
        List<String> words = new ArrayList<>(List.of("scripts/nodepath", "bench"));
        words.addAll(names);
        words.addAll(chosen());
        return String.join(" ", words);
    }

    private List<String> chosen() throws CommandException {
        List<String> options = new ArrayList<>();
        if (quick) {
            options.add("--quick");
        }
        if (rounds != null) {
            options.add("--rounds=" + rounds());
        }
        if (!peers.equals("auto")) {
            options.add("--peers=" + peers);
        }
        kubeProxy().ifPresent(path -> options.add("--kube-proxy=" + path));
        return options;
    }
}
