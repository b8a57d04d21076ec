package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A service port of one family as this mode serves it.
 *
 * @param service what the cluster says of it
 * @param family of its addresses here and of its endpoints
 * @param addresses the addresses of each way, each owned by no other portal
 * @param nodePort 1 to 65535; 0 if it has none, or another portal owns it; a part of {@link Way#EXTERNAL}
 * @param endpoints those that take new connections
 */
record Portal(
        ServicePort service,
        IpFamily family,
        Map<Way, List<IpAddress>> addresses,
        int nodePort,
        SelectedEndpoints endpoints) {
    /** Copies the map. */
    Portal {
        Map<Way, List<IpAddress>> copy = new EnumMap<>(Way.class);
        addresses.forEach((way, ips) -> copy.put(way, List.copyOf(ips)));
        addresses = Collections.unmodifiableMap(copy);
    }

    /** The identity of a portal. */
    record Key(ServicePortName name, IpFamily family) {}

    Key key() {
        return new Key(service.name(), family);
    }

    ServicePortName name() {
        return service.name();
    }

    Protocol protocol() {
        return service.protocol();
    }

    List<IpAddress> addresses(Way way) {
        return addresses.getOrDefault(way, List.of());
    }

    /** Whether anything leads here this way. */
    boolean has(Way way) {
        return !addresses(way).isEmpty() || (way == Way.EXTERNAL && nodePort != 0);
    }

    /** Whether rules lead to both alike, as long as both serve the same ways. */
    boolean leadsAs(Portal other) {
        return name().equals(other.name())
                && service.port() == other.service.port()
                && addresses.equals(other.addresses)
                && nodePort == other.nodePort;
    }

    /** Whether there is an endpoint for anyone who comes this way; if not, a rule refuses. */
    boolean serves(Way way) {
        boolean local = way == Way.CLUSTER_IP ? service.internalPolicyLocal() : service.externalPolicyLocal();
        boolean cluster = way != Way.CLUSTER_IP || !service.internalPolicyLocal();
        return (local && !endpoints.local().isEmpty())
                || (cluster && !endpoints.cluster().isEmpty());
    }
}
