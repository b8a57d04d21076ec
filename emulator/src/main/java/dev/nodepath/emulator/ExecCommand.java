package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Preflight;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code nodepath exec POD -- CMD}: runs a command in a pod, a node, the switch, the router or the client. */
@Command(
        name = "exec",
        description = "Runs a command in the network of a pod, a node, the switch, the router or the outside client"
                + " of the running cluster.",
        mixinStandardHelpOptions = true)
final class ExecCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "POD",
            description = "Name of a pod or node, or 'switch', 'router' or 'client'.")
    private String place = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "CMD",
            description = "The command and its arguments, after '--'.")
    private List<String> command = List.of();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ClusterRecord record = ClusterRecord.requireRunning();
        Path names = record.inside(Enclosure.RUN.resolve("ns"));
        if (place.contains("/")
                || place.startsWith(".")
                || !Files.exists(names.resolve(place), LinkOption.NOFOLLOW_LINKS)) {
            throw CommandException.wrongUsage(List.of("\"" + place + "\" (expected: one of " + list(names) + ")"));
        }
        List<String> full =
                new ArrayList<>(List.of("nsenter", "--target=" + record.pid(), "--mount", "--net", "--pid"));
        if (!Preflight.isRoot()) {
            full.addAll(List.of("--user", "--preserve-credentials"));
        }
        full.addAll(
                List.of("--", "nsenter", "--net=" + Enclosure.RUN.resolve("ns").resolve(place), "--"));
        full.addAll(command);
        return new ProcessBuilder(full).inheritIO().start().waitFor();
    }

    private static List<String> list(Path names) throws IOException {
        try (Stream<Path> files = Files.list(names)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
