package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

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
    private static final int PORT_MAX = 65_535;

    /** What a probe tries. */
    sealed interface Action {}

    /**
     * GET; a status from 200 to 399 passes.
     *
     * @param scheme {@code http} or {@code https}
     * @param host empty for the Pod's address
     * @param headers by name; an empty value removes a default header
     */
    record HttpGet(String scheme, String host, String path, int port, Map<String, String> headers) implements Action {
        HttpGet {
            headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        }
    }

    /**
     * A TCP connect.
     *
     * @param host empty for the Pod's address
     */
    record TcpConnect(String host, int port) implements Action {}

    /**
     * A call of gRPC's health protocol at the Pod's address.
     *
     * @param service that the server is asked about; empty for all of it
     */
    record Grpc(int port, String service) implements Action {}

    /** A command in the container; exit code 0 passes. */
    record Exec(List<String> command) implements Action {
        Exec {
            command = List.copyOf(command);
        }
    }

    /**
     * A probe that cannot be tried.
     *
     * @param why in a kubelet's words
     */
    record Unknown(String why) implements Action {}

    /**
     * The probe of this name of a container.
     *
     * @param ports the container's ports by name
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
            Map<String, String> headers = new LinkedHashMap<>();
            http.path("httpHeaders")
                    .forEach(each -> headers.put(
                            each.path("name").asText(), each.path("value").asText("")));
            return Optional.of(atPort(
                    http.path("port"),
                    ports,
                    port -> new HttpGet(
                            http.path("scheme").asText("HTTP").toLowerCase(Locale.ROOT),
                            http.path("host").asText(""),
                            http.path("path").asText("/").replaceFirst("^(?!/)", "/"),
                            port,
                            headers)));
        }
        if (handler.has("tcpSocket")) {
            JsonNode tcp = handler.path("tcpSocket");
            return Optional.of(atPort(
                    tcp.path("port"),
                    ports,
                    port -> new TcpConnect(tcp.path("host").asText(""), port)));
        }
        if (handler.has("grpc")) {
            JsonNode grpc = handler.path("grpc");
            return Optional.of(
                    new Grpc(grpc.path("port").asInt(), grpc.path("service").asText("")));
        }
        if (handler.has("exec")) {
            return Optional.of(new Exec(texts(handler.path("exec").path("command"))));
        }
        return Optional.empty();
    }

    /** The host to ask: the given one, or the Pod's address; an IPv6 address is in brackets. */
    static String host(String named, InetAddress pod) {
        String host = named.isEmpty() ? pod.getHostAddress() : named;
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    /** A name that is no port of the container is parsed as a number, as by a kubelet. */
    private static Action atPort(JsonNode port, Map<String, Integer> ports, IntFunction<Action> action) {
        String text = port.asText();
        if (!ports.containsKey(text) && !text.matches("[0-9]{1,9}")) {
            return new Unknown("strconv.Atoi: parsing \"" + text + "\": invalid syntax");
        }
        int number = ports.containsKey(text) ? ports.get(text) : Integer.parseInt(text);
        return number > 0 && number <= PORT_MAX ? action.apply(number) : new Unknown("invalid port number: " + number);
    }
}
