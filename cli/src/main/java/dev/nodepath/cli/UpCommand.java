package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.process.ProgramName;
import dev.nodepath.emulator.cluster.ForwardedSockets;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Lifeline;
import dev.nodepath.emulator.enclosure.Preflight;
import dev.nodepath.linux.io.FileLock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath up}: starts a cluster that keeps running, and returns when it is ready. */
@Command(
        name = "up",
        description = "Starts an emulated cluster and leaves it running; see status, kubectl, exec and down.",
        footer = {"nodepath up", "nodepath up --nodes=3 --mode=nftables --page", "nodepath up services.yaml pods.yaml"},
        mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
    private static final long STOP_SECONDS_MAX = 10;
    /** A real API server's port, or the next free one. */
    private static final int FIRST_PORT = 6443;

    private static final int LAST_PORT = 6543;

    /** A line of the log without an error: the control plane logs such lines while a cluster starts. */
    private static final Pattern EVENT = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT\\S+ (INFO|WARN) ");

    @Mixin
    private final UpOptions options = new UpOptions();

    @Option(
            names = "--page",
            arity = "0..1",
            fallbackValue = PageAddress.DEFAULT,
            paramLabel = "ADDRESS[:PORT]",
            description = "Opens the cluster's live page too, as 'nodepath page' does.")
    private @Nullable String page;

    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        List<String> notes = options.check();
        Optional<PageAddress> where = page == null ? Optional.empty() : Optional.of(PageAddress.parse("--page", page));
        if (where.isPresent()) {
            where.get().requireFree("--page");
        }
        notes.forEach(spec.commandLine().getErr()::println);
        spec.commandLine().getErr().flush();
        ClusterFiles files = ClusterFiles.of(name);
        boolean started = false;
        FileLock lock = files.lock();
        try {
            int code = start(files, where);
            started = code == 0;
            return code;
        } finally {
            lock.close();
            if (!started && files.running().isEmpty()) {
                files.remove();
            }
        }
    }

    private int start(ClusterFiles files, Optional<PageAddress> where)
            throws CommandException, IOException, InterruptedException {
        List<String> inner = new ArrayList<>(List.of(EnclosedClusterCommand.NAME));
        inner.addAll(options.arguments());
        if (files.running().isPresent()) {
            throw CommandException.failed(
                    "the cluster \"" + files.name() + "\" is already running, says " + files.folder()
                            + " (expected: run 'nodepath down" + files.option() + "' first, or another --name)");
        }
        Preflight.ofThisProcess().check();
        files.ended().ifPresent(spec.commandLine().getOut()::println);
        files.forget();
        Process process = Enclosure.ofThisProcess().startDetached(inner, files.folder(), ClusterFiles.LAST_WORD);
        if (!awaitReady(process)) {
            process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
            return CommandException.FAILED;
        }
        ClusterRecord record = record(process);
        int port = forward(files, record);
        Optional<String> link = where.isEmpty() ? Optional.empty() : Optional.of(PageLink.open(record, where.get()));
        files.write(record, arguments());
        // Until now the cluster ends with this process; from here on it has a record and lives on.
        try (OutputStream lifeline = process.getOutputStream()) {
            lifeline.write(Lifeline.RELEASE);
        }
        sayWhatNext(
                files,
                port,
                link,
                ExecExample.parse(Files.readString(record.inside(Enclosure.RUN).resolve(ClusterFiles.EXAMPLE))));
        return 0;
    }

    /** The arguments for a restart of the cluster. */
    private List<String> arguments() {
        List<String> arguments = new ArrayList<>(options.arguments());
        if (page != null) {
            arguments.add("--page=" + page);
        }
        return arguments;
    }

    /** Opens the API server to this machine, on its loopback address alone. */
    private static int forward(ClusterFiles files, ClusterRecord record) throws CommandException, IOException {
        Path folder = record.inside(Enclosure.RUN);
        int port = ForwardedSockets.send(
                folder.resolve(ForwardedSockets.API), PageAddress.LOOPBACK, FIRST_PORT, LAST_PORT);
        String inside = Files.readString(folder.resolve(ClusterFiles.KUBECONFIG));
        files.writeKubeconfig(inside.replaceFirst("server: \\S+", "server: https://127.0.0.1:" + port));
        return port;
    }

    private void sayWhatNext(ClusterFiles files, int port, Optional<String> link, ExecExample example) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("the API server listens on https://127.0.0.1:" + port);
        link.ifPresent(address -> out.println("the live page is at " + address));
        out.println();
        String option = files.option();
        Map<String, String> hints = new LinkedHashMap<>();
        hints.put("nodepath status" + option, "nodes, pods and Services");
        hints.put(
                "nodepath kubectl" + option + " get pods -o wide",
                KubectlCommand.isOnPath(KubectlCommand.NAME) ? "any kubectl command" : "install kubectl first");
        hints.put(
                "nodepath exec" + option + " " + example.exec(),
                KubectlCommand.isOnPath(example.program())
                        ? example.meaning()
                        : "install " + example.program() + " first");
        if (!example.trace().isEmpty()) {
            hints.put("nodepath trace" + option + " " + example.trace(), "each rule that such a packet meets");
        }
        if (link.isEmpty()) {
            hints.put("nodepath page" + option, "the address of a live page of it");
        }
        hints.put("nodepath down" + option, "ends it all");
        hints.put("export KUBECONFIG=" + ProgramName.quoted(files.kubeconfig().toString()), "for any other kubectl");
        int width = hints.keySet().stream()
                .map(ProgramName::in)
                .mapToInt(String::length)
                .max()
                .orElse(0);
        hints.forEach((command, meaning) ->
                out.printf(Locale.ROOT, "  %-" + width + "s  # %s%n", ProgramName.in(command), meaning));
        out.flush();
    }

    /** Prints the cluster's lines until it is ready or ends. */
    private boolean awaitReady(Process process) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals(EnclosedClusterCommand.READY)) {
                return true;
            }
            if (!EVENT.matcher(line).find()) {
                out.println(line);
                out.flush();
            }
        }
        return false;
    }

    /** The enclosure's first process is the only child of the process that was started. */
    private static ClusterRecord record(Process process) throws IOException {
        ProcessHandle first = process.children()
                .findFirst()
                .orElseThrow(() -> new IOException("the cluster's process ended as soon as it was ready"));
        Instant startedAt = first.info().startInstant().orElseThrow();
        return new ClusterRecord(first.pid(), startedAt);
    }
}
