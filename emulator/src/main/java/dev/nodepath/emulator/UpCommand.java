package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Lifeline;
import dev.nodepath.emulator.enclosure.Preflight;
import dev.nodepath.emulator.topology.TopologyReader;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath up}: starts a cluster that keeps running, and returns when it is ready. */
@Command(
        name = "up",
        description = "Starts an emulated cluster and leaves it running; see status, exec and down.",
        mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
    private static final long STOP_SECONDS_MAX = 10;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "TOPOLOGY",
            description =
                    "File of manifests of Nodes, Pods and Services (default: the two-node cluster of" + " 'compare').")
    private @Nullable Path topology;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "The proxy mode: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ProxyMode mode = ProxyMode.IPTABLES;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        List<String> inner = new ArrayList<>(List.of(EnclosedClusterCommand.NAME, "--mode=" + mode));
        if (topology != null) {
            check(topology);
            inner.add(topology.toAbsolutePath().toString());
        }
        if (ClusterRecord.running().isPresent()) {
            throw CommandException.failed("a cluster is already running (expected: run 'nodepath down' first)");
        }
        Preflight.ofThisProcess().check();
        ClusterRecord.removeStale();
        Process process = Enclosure.ofThisProcess().startDetached(inner);
        if (!awaitReady(process)) {
            process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
            return CommandException.FAILED;
        }
        record(process);
        // Until now the cluster ends with this process; from here on it has a record and lives on.
        try (OutputStream lifeline = process.getOutputStream()) {
            lifeline.write(Lifeline.RELEASE);
        }
        return 0;
    }

    static void check(Path topology) throws CommandException {
        if (!Files.isRegularFile(topology)) {
            throw CommandException.wrongUsage(List.of(topology + ": not a file (expected: a file of manifests)"));
        }
        try {
            TopologyReader.read(topology);
        } catch (ManifestException e) {
            throw CommandException.wrongUsage(List.of(String.valueOf(e.getMessage())));
        }
    }

    /** Prints the cluster's lines until it is ready or ends. */
    private boolean awaitReady(Process process) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals(EnclosedClusterCommand.READY)) {
                return true;
            }
            out.println(line);
            out.flush();
        }
        return false;
    }

    /** The enclosure's first process is the only child of the process that was started. */
    private static void record(Process process) throws IOException {
        ProcessHandle first = process.children()
                .findFirst()
                .orElseThrow(() -> new IOException("the cluster's process ended as soon as it was ready"));
        Instant startedAt = first.info().startInstant().orElseThrow();
        new ClusterRecord(first.pid(), startedAt).write();
    }
}
