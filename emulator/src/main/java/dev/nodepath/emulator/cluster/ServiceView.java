package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A Service of the API at one moment, as far as callers need it.
 *
 * @param key its namespace and name
 * @param clusterIps its virtual addresses; empty for a headless one
 * @param selector the labels of its Pods; may be empty
 * @param ports in the order of the object
 */
public record ServiceView(ObjectKey key, List<IpAddress> clusterIps, Map<String, String> selector, List<Port> ports) {
    public ServiceView {
        clusterIps = List.copyOf(clusterIps);
        selector = Map.copyOf(selector);
        ports = List.copyOf(ports);
    }

    /**
     * A port.
     *
     * @param name empty if it has none
     * @param protocol such as {@code TCP}
     * @param port on the virtual address
     * @param targetPort on the Pod: a number, or the name of one of the Pod's ports
     * @param nodePort on every node; 0 if it has none
     */
    public record Port(String name, String protocol, int port, String targetPort, int nodePort) {}

    static ServiceView of(ObjectNode service) {
        JsonNode spec = service.path("spec");
        List<IpAddress> addresses = new ArrayList<>();
        for (JsonNode address : spec.path("clusterIPs")) {
            if (!address.asText().equals("None")) {
                addresses.add(IpAddress.parse(address.asText()));
            }
        }
        List<Port> ports = new ArrayList<>();
        for (JsonNode port : spec.path("ports")) {
            ports.add(new Port(
                    port.path("name").asText(""),
                    port.path("protocol").asText("TCP"),
                    port.path("port").asInt(),
                    port.path("targetPort").asText(port.path("port").asText()),
                    port.path("nodePort").asInt(0)));
        }
        return new ServiceView(ObjectKey.of(service), addresses, PodView.texts(spec.path("selector")), ports);
    }

    /** Its first virtual address. */
    public IpAddress clusterIp() {
        return clusterIps.get(0);
    }

    /** Whether it selects a Pod: it has a selector, and the Pod is in its namespace and bears all of its labels. */
    public boolean selects(PodView pod) {
        return !selector.isEmpty()
                && pod.key().namespace().equals(key.namespace())
                && pod.labels().entrySet().containsAll(selector.entrySet());
    }

    /** The port of this name. */
    public Port port(String portName) {
        return ports.stream()
                .filter(port -> port.name().equals(portName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Service " + key + " has no port " + portName));
    }
}
