package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.PodSpec;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** The host ports of Pods: each port of a Node can be used once. */
final class HostPorts {
    private record Port(String protocol, int number, String address) {
        boolean clashesWith(Port other) {
            boolean sameAddress = address.equals(other.address) || isAny(address) || isAny(other.address);
            return protocol.equals(other.protocol) && number == other.number && sameAddress;
        }

        private static boolean isAny(String address) {
            return address.isEmpty() || address.equals("0.0.0.0") || address.equals("::");
        }
    }

    private HostPorts() {}

    /** Whether a Pod asks for a host port of one of the other Pods. */
    static boolean clash(JsonNode pod, Collection<? extends JsonNode> others) {
        Set<Port> wanted = of(pod);
        return !wanted.isEmpty()
                && others.stream()
                        .flatMap(other -> of(other).stream())
                        .anyMatch(taken -> wanted.stream().anyMatch(taken::clashesWith));
    }

    private static Set<Port> of(JsonNode pod) {
        Set<Port> ports = new HashSet<>();
        for (JsonNode container : PodSpec.lastingContainers(pod)) {
            for (JsonNode port : container.path("ports")) {
                if (port.path("hostPort").asInt(0) > 0) {
                    ports.add(new Port(
                            port.path("protocol").asText("TCP"),
                            port.path("hostPort").asInt(),
                            port.path("hostIP").asText("")));
                }
            }
        }
        return ports;
    }
}
