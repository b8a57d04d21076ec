package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An EndpointSlice ({@code discovery.k8s.io/v1}) with addresses of one family, and the fields that a proxy needs.
 *
 * @param name namespace and name of the slice
 * @param service the Service that its label {@code kubernetes.io/service-name} names
 * @param ports the ports that every address of the slice has
 * @param addresses the endpoints, each address once
 * @param trigger the annotation {@code endpoints.kubernetes.io/last-change-trigger-time}
 */
public record EndpointSlice(
        NamespacedName name,
        NamespacedName service,
        List<Port> ports,
        AddressList addresses,
        Optional<Instant> trigger) {

    public EndpointSlice {
        ports = List.copyOf(ports);
    }

    /** A slice with these addresses. Of a duplicate address, the entry that takes connections wins. */
    public EndpointSlice(
            NamespacedName name,
            NamespacedName service,
            List<Port> ports,
            List<Address> addresses,
            Optional<Instant> trigger) {
        this(name, service, ports, AddressList.of(addresses), trigger);
    }

    /**
     * A port of the slice; it belongs to the Service's port of the same name and protocol.
     *
     * @param name empty if the port has none
     * @param protocol the transport protocol
     * @param port the port on which the pod listens, 1 to 65535
     */
    public record Port(String name, Protocol protocol, int port) {}

    /**
     * An endpoint of the slice and its conditions.
     *
     * @param ip of the pod
     * @param state node, conditions and hints
     */
    public record Address(IpAddress ip, EndpointState state) {

        /** An endpoint without hints. */
        public Address(IpAddress ip, String nodeName, boolean ready, boolean serving, boolean terminating) {
            this(ip, new EndpointState(nodeName, ready, serving, terminating, TopologyHints.NONE));
        }
    }

    /** Whether both have the same content for the same Service. The trigger time does not count. */
    boolean sameEndpoints(EndpointSlice other) {
        return service.equals(other.service) && ports.equals(other.ports) && addresses.equals(other.addresses);
    }
}
