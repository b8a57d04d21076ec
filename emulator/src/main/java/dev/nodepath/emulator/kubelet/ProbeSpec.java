package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A probe of a container ({@code v1} Probe).
 *
 * @param action what is tried
 * @param initialDelay after the container's start
 * @param period between two tries
 * @param timeout of one try
 * @param successThreshold successes in a row that make it pass
 * @param failureThreshold failures in a row that make it fail
 */
record ProbeSpec(
        Action action,
        Duration initialDelay,
        Duration period,
        Duration timeout,
        int successThreshold,
        int failureThreshold) {

    /** What a probe tries. */
    sealed interface Action {}

    /** GET; a status from 200 to 399 passes. */
    record HttpGet(String path, int port) implements Action {}

    /** A TCP connect. */
    record TcpConnect(int port) implements Action {}

    /** A command in the container; exit code 0 passes. */
    record Exec(List<String> command) implements Action {
        Exec {
            command = List.copyOf(command);
        }
    }

    /**
     * The probe of this name of a container.
     *
     * @param ports the Pod's ports by name
     */
    static Optional<ProbeSpec> of(JsonNode container, String name, Map<String, Integer> ports) {
        JsonNode probe = container.path(name);
        return action(probe, ports)
                .map(action -> new ProbeSpec(
                        action,
                        Duration.ofSeconds(probe.path("initialDelaySeconds").asLong(0)),
                        Duration.ofSeconds(probe.path("periodSeconds").asLong(10)),
                        Duration.ofSeconds(probe.path("timeoutSeconds").asLong(1)),
                        probe.path("successThreshold").asInt(1),
                        probe.path("failureThreshold").asInt(3)));
    }

    /** The action of a probe or of a lifecycle hook. */
    static Optional<Action> action(JsonNode handler, Map<String, Integer> ports) {
        if (handler.has("httpGet")) {
            JsonNode http = handler.path("httpGet");
            return Optional.of(new HttpGet(http.path("path").asText("/"), port(http.path("port"), ports)));
        }
        if (handler.has("tcpSocket")) {
            return Optional.of(new TcpConnect(port(handler.path("tcpSocket").path("port"), ports)));
        }
        if (handler.has("grpc")) {
            return Optional.of(new TcpConnect(handler.path("grpc").path("port").asInt()));
        }
        if (handler.has("exec")) {
            return Optional.of(new Exec(texts(handler.path("exec").path("command"))));
        }
        return Optional.empty();
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static int port(JsonNode port, Map<String, Integer> ports) {
        return port.isTextual() && !port.asText().chars().allMatch(Character::isDigit)
                ? ports.getOrDefault(port.asText(), 0)
                : port.asInt();
    }
}
