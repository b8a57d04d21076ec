package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.ComesWithNodepath;
import dev.nodepath.emulator.cluster.InitialState;
import dev.nodepath.emulator.cluster.NodeManifests;
import dev.nodepath.emulator.cluster.Topology;
import dev.nodepath.emulator.cluster.TopologyException;
import dev.nodepath.emulator.cluster.TopologyReader;
import dev.nodepath.endpoints.source.ManifestObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The options that say which cluster {@code nodepath up} starts. The process in the enclosure has the same options.
 */
final class UpOptions {
    private static final int NODES = 2;
    private static final String NODES_FILE = "nodes.yaml";

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "Files or folders of manifests, applied when the cluster is up; Nodes in them make the"
                    + " cluster's nodes (default: the Pods and Services of 'compare').")
    private List<Path> files = List.of();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "How many nodes, if no manifest has any (default: " + NODES + ").")
    private @Nullable Integer nodes;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "The proxy mode: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ProxyMode mode = ProxyMode.IPTABLES;

    @Option(
            names = "--keep-client-address",
            description = "In userspace mode, let pods see the client's address where their answers come back through"
                    + " the relay's node.")
    private boolean keepClientAddress;

    /** Whether the proxies get {@code --keep-client-address}. */
    boolean keepsClientAddress() {
        return keepClientAddress;
    }

    ProxyMode mode() {
        return mode;
    }

    /** The same options for a process with another working folder. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of("--mode=" + mode));
        if (nodes != null) {
            arguments.add("--nodes=" + nodes);
        }
        if (keepClientAddress) {
            arguments.add("--keep-client-address");
        }
        files.forEach(file -> arguments.add(file.toAbsolutePath().toString()));
        return arguments;
    }

    /**
     * Reads all manifests and tries them, before anything is started.
     *
     * @return a line for each object of an unknown kind, which is left out, and for each warning
     */
    List<String> check() throws CommandException, IOException {
        List<String> problems = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Path file : files) {
            if (!Files.exists(file)) {
                problems.add(file + ": no such file or folder (expected: manifests)");
            }
        }
        if (nodes != null && (nodes < 1 || nodes > NodeManifests.NODES_MAX)) {
            problems.add("--nodes: " + nodes + " (expected: 1 to " + NodeManifests.NODES_MAX + ")");
        }
        if (problems.isEmpty()) {
            Path folder = Files.createTempDirectory("nodepath");
            try {
                Topology all = read(folder);
                List<ManifestObject> unserved = InitialState.unserved(all);
                problems.addAll(InitialState.problems(all.without(unserved)));
                unserved.forEach(object -> notes.add(leftOut(object)));
                InitialState.warnings(all)
                        .forEach((warning, object) -> notes.add(
                                "Warning: " + object.error("", warning).getMessage()));
            } catch (TopologyException e) {
                problems.addAll(e.problems());
            } finally {
                remove(folder);
            }
        }
        if (!problems.isEmpty()) {
            throw CommandException.wrongUsage(problems);
        }
        return notes;
    }

    private static String leftOut(ManifestObject object) {
        return String.valueOf(object.error(
                        "kind",
                        "no matches for kind \"" + object.kind() + "\" in version \"" + object.apiVersion()
                                + "\"; left out (expected: a kind of Kubernetes 1.36, or one that a"
                                + " CustomResourceDefinition makes)")
                .getMessage());
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> written = Files.list(folder)) {
            for (Path file : written.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    /**
     * The cluster.
     *
     * @param folder gets the manifests that come with Nodepath
     */
    Topology topology(Path folder) throws IOException, TopologyException {
        Topology all = read(folder);
        return all.without(InitialState.unserved(all));
    }

    private Topology read(Path folder) throws IOException, TopologyException {
        boolean ownNodes = false;
        for (Path file : files) {
            ownNodes |= TopologyReader.hasNodes(file);
        }
        if (ownNodes && nodes != null) {
            throw new TopologyException(
                    List.of("--nodes: " + nodes + ": the manifests have Nodes (expected: one or the other)"));
        }
        // The DNS Service comes before the Pods that use it; its servers come last, behind the user's Pods.
        List<Path> all = new ArrayList<>(List.of(ComesWithNodepath.DNS_SERVICE.write(folder)));
        if (files.isEmpty() && nodes == null) {
            all.add(ComesWithNodepath.TWO_NODES.write(folder));
        } else if (!ownNodes) {
            all.add(Files.writeString(folder.resolve(NODES_FILE), NodeManifests.of(nodes == null ? NODES : nodes)));
        }
        all.addAll(files);
        all.add(ComesWithNodepath.DNS_SERVERS.write(folder));
        return TopologyReader.read(all.toArray(Path[]::new));
    }
}
