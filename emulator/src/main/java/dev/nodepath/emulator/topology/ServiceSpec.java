package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Map;

/**
 * A Service, as far as the endpoints controller and the clients need it.
 *
 * @param name its namespace and name
 * @param clusterIps its virtual addresses, at most one of each family
 * @param selector the labels of its pods; without any, nobody makes EndpointSlices for it
 * @param ports in the order of the manifest
 */
public record ServiceSpec(
        NamespacedName name, List<IpAddress> clusterIps, Map<String, String> selector, List<Port> ports) {
    /** Copies the collections. */
    public ServiceSpec {
        clusterIps = List.copyOf(clusterIps);
        selector = Map.copyOf(selector);
        ports = List.copyOf(ports);
    }

    /** Its first virtual address. */
    public IpAddress clusterIp() {
        return clusterIps.get(0);
    }

    /**
     * A port.
     *
     * @param name empty if it has none
     * @param protocol of the transport
     * @param port on the virtual address
     * @param targetPort on the pod: a number, or the name of one of the pod's ports
     * @param nodePort on every node; 0 if it has none
     */
    public record Port(String name, Protocol protocol, int port, String targetPort, int nodePort) {}

    /** The port of this name. */
    public Port port(String portName) {
        return ports.stream()
                .filter(port -> port.name().equals(portName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Service " + name + " has no port " + portName));
    }
}
