package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePortName;
import java.util.List;

/**
 * A service port as this mode serves it, or one of its two sides: a Service whose internal traffic stays on the node has a
 * portal for its cluster IPs and another one for the ways in from outside, each with endpoints of its own.
 *
 * @param key which one
 * @param addresses its cluster IPs, external IPs and load balancer IPs with the Service's port, each once
 * @param nodePort 1 to 65535; 0 if it has none
 * @param endpoints those that take new connections; empty if the port is to refuse them
 */
record Portal(Key key, List<Destination> addresses, int nodePort, List<Endpoint> endpoints) {
    /** Copies the lists. */
    Portal {
        addresses = List.copyOf(addresses);
        endpoints = List.copyOf(endpoints);
    }

    /**
     * The identity of a portal.
     *
     * @param externalOnly whether it is the side for traffic from outside, where the other side is apart
     */
    record Key(ServicePortName name, boolean externalOnly) {}

    ServicePortName name() {
        return key.name();
    }

    boolean hasEndpoints() {
        return !endpoints.isEmpty();
    }
}
