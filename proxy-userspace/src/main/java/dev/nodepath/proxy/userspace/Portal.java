package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePortName;
import java.util.List;

/**
 * A service port as this mode serves it.
 *
 * @param name which one
 * @param addresses its cluster IPs, external IPs and load balancer IPs with the Service's port, each once
 * @param nodePort 1 to 65535; 0 if it has none
 * @param endpoints those that take new connections; empty if the port is to refuse them
 */
record Portal(ServicePortName name, List<Destination> addresses, int nodePort, List<Endpoint> endpoints) {
    /** Copies the lists. */
    Portal {
        addresses = List.copyOf(addresses);
        endpoints = List.copyOf(endpoints);
    }

    boolean hasEndpoints() {
        return !endpoints.isEmpty();
    }
}
