package dev.nodepath.endpoints.tracker;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.linux.IpAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An EndpointSlice ({@code discovery.k8s.io/v1}) of addresses of one family, as far as a proxy needs it.
 *
 * @param name namespace and name of the slice
 * @param service the Service that its label {@code kubernetes.io/service-name} names
 * @param ports the ports that every address of the slice has
 * @param addresses the endpoints
 * @param trigger the annotation {@code endpoints.kubernetes.io/last-change-trigger-time}
 */
public record EndpointSlice(
        NamespacedName name,
        NamespacedName service,
        List<Port> ports,
        List<Address> addresses,
        Optional<Instant> trigger) {

    /** Copies the lists. */
    public EndpointSlice {
        ports = List.copyOf(ports);
        addresses = List.copyOf(addresses);
    }

    /**
     * A port of the slice; it belongs to the Service's port of the same name and protocol.
     *
     * @param name empty if the port has none
     * @param protocol the transport protocol
     * @param port what the pod listens on, 1 to 65535
     */
    public record Port(String name, Protocol protocol, int port) {}

    /**
     * An endpoint of the slice and its conditions.
     *
     * @param ip of the pod
     * @param nodeName the node the pod runs on; empty if the slice does not say
     * @param ready whether it takes new connections
     * @param serving whether it would, were it not terminating
     * @param terminating whether the pod is being deleted
     * @param hints for whom it is meant
     */
    public record Address(
            IpAddress ip, String nodeName, boolean ready, boolean serving, boolean terminating, TopologyHints hints) {

        /** An endpoint without hints. */
        public Address(IpAddress ip, String nodeName, boolean ready, boolean serving, boolean terminating) {
            this(ip, nodeName, ready, serving, terminating, TopologyHints.NONE);
        }
    }

    /** Whether both say the same of the same Service; the trigger time says when, not what. */
    boolean sameEndpoints(EndpointSlice other) {
        return service.equals(other.service) && ports.equals(other.ports) && addresses.equals(other.addresses);
    }
}
