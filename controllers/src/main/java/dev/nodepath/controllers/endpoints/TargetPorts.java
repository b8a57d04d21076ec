package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.PodSpec;
import java.util.Optional;
import java.util.OptionalInt;

/** The ports of a Service at one Pod. */
final class TargetPorts {
    private final JsonNode service;
    /** The ports of every Pod, if the Service refers to none by name. */
    private final Optional<ArrayNode> fixed;

    TargetPorts(JsonNode service) {
        this.service = service;
        this.fixed = isNamed(service) ? Optional.empty() : Optional.of(read(MissingNode.getInstance()));
    }

    /** The ports for a slice. As in Kubernetes, a named port that the Pod does not have is left out. */
    ArrayNode of(JsonNode pod) {
        return fixed.orElseGet(() -> read(pod));
    }

    private static boolean isNamed(JsonNode service) {
        return service.path("spec")
                .path("ports")
                .valueStream()
                .anyMatch(port -> port.path("targetPort").isTextual());
    }

    private ArrayNode read(JsonNode pod) {
        ArrayNode ports = JsonNodeFactory.instance.arrayNode();
        for (JsonNode port : service.path("spec").path("ports")) {
            number(port, pod).ifPresent(number -> add(ports, port, number));
        }
        return ports;
    }

    private static void add(ArrayNode ports, JsonNode port, int number) {
        ObjectNode added = ports.addObject()
                .put("name", port.path("name").asText(""))
                .put("protocol", protocol(port))
                .put("port", number);
        if (port.has("appProtocol")) {
            added.set("appProtocol", port.get("appProtocol"));
        }
    }

    private static OptionalInt number(JsonNode port, JsonNode pod) {
        JsonNode target = port.path("targetPort");
        if (target.isTextual() && !target.asText().isEmpty()) {
            return named(target.asText(), protocol(port), pod);
        }
        return OptionalInt.of(
                target.asInt(0) > 0 ? target.asInt() : port.path("port").asInt());
    }

    private static OptionalInt named(String name, String protocol, JsonNode pod) {
        for (JsonNode container : PodSpec.lastingContainers(pod)) {
            for (JsonNode port : container.path("ports")) {
                if (port.path("name").asText("").equals(name) && protocol(port).equals(protocol)) {
                    return OptionalInt.of(port.path("containerPort").asInt());
                }
            }
        }
        return OptionalInt.empty();
    }

    private static String protocol(JsonNode port) {
        return port.path("protocol").asText("TCP");
    }
}
