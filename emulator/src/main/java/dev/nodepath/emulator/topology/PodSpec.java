package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NamespacedName;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod to be run.
 *
 * @param name its namespace and name
 * @param node {@code spec.nodeName}
 * @param labels {@code metadata.labels}
 * @param command the first container's command and arguments; empty for the built-in server
 * @param ports the ports of all containers, by name; an unnamed port has its number as name
 * @param readiness the first container's readinessProbe; without one the pod is ready while it runs
 */
public record PodSpec(
        NamespacedName name,
        String node,
        Map<String, String> labels,
        List<String> command,
        Map<String, Integer> ports,
        Optional<Probe> readiness) {

    /** The port that the built-in server serves HTTP on. */
    public static final String HTTP_PORT = "http";

    /** The port that the built-in server takes bulk data on. */
    public static final String BULK_PORT = "bulk";

    /** Copies the collections. */
    public PodSpec {
        labels = Map.copyOf(labels);
        command = List.copyOf(command);
        ports = Map.copyOf(ports);
    }

    /**
     * How readiness is found out.
     *
     * @param httpPath for {@code GET}; empty for a plain TCP connect
     * @param port on the pod's address
     */
    public record Probe(Optional<String> httpPath, int port) {}

    /** Whether a Service selects this pod: it has a selector, and the pod is in its namespace and bears all of its labels. */
    public boolean isSelectedBy(ServiceSpec service) {
        return !service.selector().isEmpty()
                && name.namespace().equals(service.name().namespace())
                && labels.entrySet().containsAll(service.selector().entrySet());
    }
}
