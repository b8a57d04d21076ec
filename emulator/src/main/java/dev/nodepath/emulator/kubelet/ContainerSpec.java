package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.PodSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A container of a Pod, as far as the emulator runs it.
 *
 * @param role its part in the Pod
 * @param name of the container
 * @param image as written; nothing is pulled
 * @param command {@code command} and {@code args}; empty for the built-in server, also in agnhost's place
 * @param workingDir empty for {@code /}
 * @param ports in the order of the manifest
 * @param readiness without it the container is ready while it runs
 * @param liveness without it the container is never restarted while it runs
 * @param startup until it has passed, the other probes are not tried
 * @param json the whole container
 */
record ContainerSpec(
        Role role,
        String name,
        String image,
        List<String> command,
        String workingDir,
        List<Port> ports,
        Optional<ProbeSpec> readiness,
        Optional<ProbeSpec> liveness,
        Optional<ProbeSpec> startup,
        JsonNode json) {
    ContainerSpec {
        command = List.copyOf(command);
        ports = List.copyOf(ports);
    }

    /** The part of a container in its Pod. */
    enum Role {
        /** One of {@code containers}. */
        MAIN,
        /** It ends before the next container starts. */
        INIT,
        /** An init container that runs as long as the Pod (KEP-753). */
        SIDECAR,
        /** It was added while the Pod ran, and the Pod does not depend on it (KEP-277). */
        EPHEMERAL;

        private static Role of(String list, JsonNode container) {
            if (list.equals("containers")) {
                return MAIN;
            }
            if (list.equals("ephemeralContainers")) {
                return EPHEMERAL;
            }
            return PodSpec.isSidecar(container) ? SIDECAR : INIT;
        }
    }

    /**
     * A port that the container says it serves.
     *
     * @param name empty if it has none
     * @param number {@code containerPort}
     * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
     * @param hostPort the node's port that the node forwards to it; 0 for none
     * @param hostIp the node's address for it; empty for all
     */
    record Port(String name, int number, String protocol, int hostPort, String hostIp) {}

    /** The ports of a Pod that its node forwards from a port of its own. */
    static List<Port> hostPorts(JsonNode pod) {
        return Stream.concat(containers(pod).stream(), initContainers(pod).stream())
                .filter(container -> container.role() != Role.INIT)
                .flatMap(container -> container.ports().stream())
                .filter(port -> port.hostPort() > 0)
                .toList();
    }

    /** Whether the built-in server runs in it, or no process at all. */
    boolean isBuiltIn() {
        return command.isEmpty();
    }

    /** The hook to call after its start; empty if there is none. */
    JsonNode postStart() {
        return json.path("lifecycle").path("postStart");
    }

    /** Whether one of its probes is a command. */
    boolean hasExecProbe() {
        return Stream.of(startup, readiness, liveness)
                .flatMap(Optional::stream)
                .anyMatch(probe -> probe.action() instanceof ProbeSpec.Exec);
    }

    static List<ContainerSpec> containers(JsonNode pod) {
        return read(pod, "containers");
    }

    /** The containers that start one after the other before the main ones: each runs to its end, or is a sidecar. */
    static List<ContainerSpec> initContainers(JsonNode pod) {
        return read(pod, "initContainers");
    }

    /** The containers that were added while the Pod ran. */
    static List<ContainerSpec> ephemeralContainers(JsonNode pod) {
        return read(pod, "ephemeralContainers");
    }

    /** The container that shares its processes with this one; empty if this one sees only its own. */
    String target() {
        return json.path("targetContainerName").asText("");
    }

    /** The numbers of a container's named ports. */
    static Map<String, Integer> portsByName(JsonNode container) {
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (JsonNode port : container.path("ports")) {
            if (port.has("name")) {
                ports.put(port.path("name").asText(), port.path("containerPort").asInt());
            }
        }
        return ports;
    }

    private static List<ContainerSpec> read(JsonNode pod, String field) {
        List<ContainerSpec> containers = new ArrayList<>();
        for (JsonNode container : pod.path("spec").path(field)) {
            Map<String, Integer> named = portsByName(container);
            containers.add(new ContainerSpec(
                    Role.of(field, container),
                    container.path("name").asText(),
                    container.path("image").asText(""),
                    command(container),
                    container.path("workingDir").asText(""),
                    ports(container),
                    ProbeSpec.of(container, "readinessProbe", named),
                    ProbeSpec.of(container, "livenessProbe", named),
                    ProbeSpec.of(container, "startupProbe", named),
                    container));
        }
        return containers;
    }

    private static List<String> command(JsonNode container) {
        Optional<Agnhost> agnhost = Agnhost.of(container);
        if (agnhost.isPresent() && agnhost.get().isScripted()) {
            List<String> command = new ArrayList<>(List.of(Agnhost.PROGRAM));
            command.addAll(agnhost.get().words());
            return command;
        }
        if (agnhost.filter(Agnhost::serves).isPresent()) {
            return List.of();
        }
        List<String> command = ProbeSpec.texts(container.path("command"));
        List<String> arguments = ProbeSpec.texts(container.path("args"));
        if (command.isEmpty() && !arguments.isEmpty() && !ContainerProgram.isHere(arguments.get(0))) {
            // Arguments alone are for the image's own command, and there is no image.
            return List.of();
        }
        command.addAll(arguments);
        return command.isEmpty() && Console.of(container).isInteractive() ? List.of("sh") : command;
    }

    private static List<Port> ports(JsonNode container) {
        List<Port> ports = new ArrayList<>();
        for (JsonNode port : container.path("ports")) {
            ports.add(new Port(
                    port.path("name").asText(""),
                    port.path("containerPort").asInt(),
                    port.path("protocol").asText("TCP"),
                    port.path("hostPort").asInt(0),
                    port.path("hostIP").asText("")));
        }
        return ports;
    }
}
