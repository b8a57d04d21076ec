package dev.nodepath.bench;

import dev.nodepath.agent.CommandException;
import dev.nodepath.agent.Nodepath;
import dev.nodepath.emulator.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nodepath bench}: runs suites in an enclosure, prints a table for each, and writes all figures to a file. */
@Command(
        name = "bench",
        description = "Measures on this machine, in namespaces of its own, beside what others do the same with.",
        mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
    private final List<Suite> suites;

    @Parameters(paramLabel = "SUITE", arity = "0..*", description = "Which to run (default: all): cni.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "60",
            description = "How often each thing is done; figures are medians (default: ${DEFAULT-VALUE}).")
    private int rounds = 60;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            defaultValue = "nodepath-report/bench",
            description = "Where report.json is written (default: ${DEFAULT-VALUE}).")
    private Path report = Path.of("nodepath-report", "bench");

    BenchCommand(List<Suite> suites) {
        this.suites = suites;
    }

    @Override
    public Integer call() throws Exception {
        List<Suite> chosen = chosen();
        if (rounds < 1) {
            throw CommandException.wrongUsage(List.of("--rounds: " + rounds + " (expected: >= 1)"));
        }
        if (ProcessHandle.current().pid() != 1) {
            return enclosed(chosen);
        }
        // Processes are started hundreds of times, and this costs least beside what is measured.
        System.setProperty("jdk.lang.Process.launchMechanism", "VFORK");
        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        boolean passed = true;
        for (Suite suite : chosen) {
            List<Figure> measured = suite.run(rounds);
            figures.put(suite.name(), measured);
            System.out.println(suite.name() + ", medians of " + rounds + "\n" + Report.table(measured));
            passed &= measured.stream().allMatch(Figure::passed);
        }
        Files.createDirectories(report);
        Report.writeJson(report.resolve("report.json"), figures);
        return passed ? 0 : Nodepath.FAILED;
    }

    /** The same command inside an enclosure: it is the first process there, and everything ends with it. */
    private int enclosed(List<Suite> chosen) throws CommandException, IOException, InterruptedException {
        Path scripts = Installation.scripts();
        List<String> command = new ArrayList<>(List.of(
                scripts.resolve("enclose").toString(),
                scripts.resolve("nodepath").toString(),
                "bench"));
        chosen.forEach(suite -> command.add(suite.name()));
        command.add("--rounds=" + rounds);
        command.add("--report=" + report.toAbsolutePath());
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private List<Suite> chosen() throws CommandException {
        List<Suite> chosen = new ArrayList<>();
        List<String> known = suites.stream().map(Suite::name).toList();
        for (String name : names.isEmpty() ? known : names) {
            if (!known.contains(name)) {
                throw CommandException.wrongUsage(
                        List.of("SUITE: \"" + name + "\" (expected: " + String.join(", ", known) + ")"));
            }
            chosen.add(suites.get(known.indexOf(name)));
        }
        return chosen;
    }
}
