package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
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
 * @param nodePort 1 to 65535; 0 if it has none, or another portal owns it; a part of {@link ServiceEntry#EXTERNAL}
 * @param endpoints those that take new connections
 */
public record Portal(
        ServicePort service,
        IpFamily family,
        Map<ServiceEntry, List<IpAddress>> addresses,
        int nodePort,
        SelectedEndpoints endpoints) {
    /** Copies the map. */
    public Portal {
        Map<ServiceEntry, List<IpAddress>> copy = new EnumMap<>(ServiceEntry.class);
        addresses.forEach((way, ips) -> copy.put(way, List.copyOf(ips)));
        addresses = Collections.unmodifiableMap(copy);
    }

    /** The identity of a portal. */
    public record Key(ServicePortName name, IpFamily family) {}

    public Key key() {
        return new Key(service.name(), family);
    }

    public ServicePortName name() {
        return service.name();
    }

    public Protocol protocol() {
        return service.protocol();
    }

    public List<IpAddress> addresses(ServiceEntry way) {
        return addresses.getOrDefault(way, List.of());
    }

    /** Whether anything leads here this way. */
    public boolean has(ServiceEntry way) {
        return !addresses(way).isEmpty() || (way == ServiceEntry.EXTERNAL && nodePort != 0);
    }

    /** Whether rules lead to both alike, as long as both serve the same ways. */
    boolean leadsAs(Portal other) {
        return name().equals(other.name())
                && service.port() == other.service.port()
                && addresses.equals(other.addresses)
                && nodePort == other.nodePort;
    }

    /** Whether there is an endpoint for anyone who comes this way; if not, a rule refuses. */
    public boolean serves(ServiceEntry way) {
        boolean local = way == ServiceEntry.CLUSTER_IP ? service.internalPolicyLocal() : service.externalPolicyLocal();
        boolean cluster = way != ServiceEntry.CLUSTER_IP || !service.internalPolicyLocal();
        return (local && !endpoints.local().isEmpty())
                || (cluster && !endpoints.cluster().isEmpty());
    }
}
