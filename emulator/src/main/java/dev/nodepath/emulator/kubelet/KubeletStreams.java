package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import dev.nodepath.apiserver.stream.LogOptions;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.apiserver.stream.PortConnection;
import dev.nodepath.apiserver.stream.PortOutput;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Logs, commands and ports of all Pods of a cluster, for its API server. */
public final class KubeletStreams implements PodStreams {
    private static final Path NOTHING = Path.of("/dev/null");

    private final Path clusterFolder;
    private final Map<String, Kubelet> kubelets = new ConcurrentHashMap<>();

    /**
     * Streams of a cluster without kubelets.
     *
     * @param clusterFolder of the cluster's files
     */
    public KubeletStreams(Path clusterFolder) {
        this.clusterFolder = clusterFolder;
    }

    /** Adds a node of the cluster and its kubelet. */
    public void add(String node, Kubelet kubelet) {
        kubelets.put(node, kubelet);
    }

    @Override
    public PieceSource log(ObjectNode pod, LogOptions options) {
        ObjectKey key = ObjectKey.of(pod);
        String container = container(pod, options.container());
        Path file = PodFolder.of(clusterFolder, pod).log(container);
        // A Pod without a node has no log yet; Kubernetes shows an empty one.
        boolean bound = !pod.path("spec").path("nodeName").asText("").isEmpty();
        Path wanted = !bound ? NOTHING : options.previous() ? ContainerLog.previous(file) : file;
        if (!Files.exists(wanted)) {
            throw StatusException.badRequest(
                    options.previous()
                            ? "previous terminated container \"" + container + "\" in pod \"" + key.name()
                                    + "\" not found"
                            : "container \"" + container + "\" in pod \"" + key.name() + "\" is waiting to start: "
                                    + waitsFor(pod, container));
        }
        try {
            return new LogSource(wanted, options, () -> bound && kubelet(pod).runs(uid(pod)));
        } catch (IOException e) {
            throw internal("log of " + key + ": " + e.getMessage());
        }
    }

    private static String waitsFor(ObjectNode pod, String container) {
        return Stream.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
                .flatMap(list ->
                        StreamSupport.stream(pod.path("status").path(list).spliterator(), false))
                .filter(status -> status.path("name").asText().equals(container))
                .map(status -> status.at("/state/waiting/reason").asText())
                .filter(reason -> !reason.isEmpty())
                .findFirst()
                .orElse("ContainerCreating");
    }

    @Override
    public ExecProcess exec(ObjectNode pod, ExecOptions options, ExecOutput output) {
        String container = container(pod, options.container());
        Kubelet kubelet = kubelet(pod);
        if (options.command().isEmpty()) {
            return kubelet.container(uid(pod), container)
                    .flatMap(running -> running.attach(options, output))
                    .orElseThrow(() -> absent(container));
        }
        Path script = PodFolder.of(clusterFolder, pod).entryScript(container);
        if (!EntryScript.canEnter(PodFolder.of(clusterFolder, pod).container(container))) {
            throw absent(container);
        }
        try {
            return ContainerExec.start(script, options, output);
        } catch (IOException e) {
            throw internal("exec in " + ObjectKey.of(pod) + ": " + e.getMessage());
        }
    }

    @Override
    public PortConnection connect(ObjectNode pod, int port, PortOutput output) {
        NetworkNamespace namespace = kubelet(pod)
                .namespace(uid(pod))
                .orElseThrow(() -> StatusException.badRequest(
                        "pod " + ObjectKey.of(pod).name() + " has no network yet, or no longer"));
        try {
            return PodPort.connect(namespace, port, output);
        } catch (IOException | IllegalStateException e) {
            // An illegal state means that the namespace was closed just now.
            throw internal("port " + port + " of " + ObjectKey.of(pod) + ": " + e.getMessage());
        }
    }

    private Kubelet kubelet(ObjectNode pod) {
        String node = pod.path("spec").path("nodeName").asText("");
        Kubelet kubelet = kubelets.get(node);
        if (kubelet == null || !kubelet.runs(uid(pod))) {
            throw StatusException.badRequest(
                    "pod " + ObjectKey.of(pod).name() + " does not have a host assigned, or does not run there yet");
        }
        return kubelet;
    }

    private static StatusException absent(String container) {
        return StatusException.badRequest("container not found (\"" + container + "\"): it does not run now");
    }

    private static String uid(ObjectNode pod) {
        return pod.path("metadata").path("uid").asText();
    }

    /** The chosen container; the API server has checked that it exists. */
    private static String container(ObjectNode pod, String name) {
        return name.isEmpty() ? ContainerSpec.containers(pod).get(0).name() : name;
    }

    private static StatusException internal(String message) {
        return new StatusException(500, "InternalError", message, "", "", "", List.of());
    }
}
