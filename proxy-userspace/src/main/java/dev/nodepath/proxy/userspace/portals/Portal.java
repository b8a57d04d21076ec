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
 * A service port of one family, as the relay serves it.
 *
 * @param service the service port in the snapshot
 * @param family of its addresses here and of its endpoints
 * @param addresses the addresses by kind of entry; no other portal owns them
 * @param nodePort 1 to 65535; 0 if it has none, or another portal owns it; a part of {@link ServiceEntry#EXTERNAL}
 * @param endpoints the endpoints that take new connections
 */
public record Portal(
        ServicePort service,
        IpFamily family,
        Map<ServiceEntry, List<IpAddress>> addresses,
        int nodePort,
        SelectedEndpoints endpoints) {
    public Portal {
        Map<ServiceEntry, List<IpAddress>> copy = new EnumMap<>(ServiceEntry.class);
        addresses.forEach((entry, ips) -> copy.put(entry, List.copyOf(ips)));
        addresses = Collections.unmodifiableMap(copy);
    }

    /** The identity of a portal. */
    public record Key(ServicePortName name, IpFamily family) {}

    /** The identity, which stays the same when the portal changes. */
    public Key key() {
        return new Key(service.name(), family);
    }

    /** The name of the service port. */
    public ServicePortName name() {
        return service.name();
    }

    /** The protocol of the service port. */
    public Protocol protocol() {
        return service.protocol();
    }

    /** The addresses of one kind, without node ports. */
    public List<IpAddress> addresses(ServiceEntry entry) {
        return addresses.getOrDefault(entry, List.of());
    }

    /** Whether it has an address, or a node port, of this kind. */
    public boolean has(ServiceEntry entry) {
        return !addresses(entry).isEmpty() || (entry == ServiceEntry.EXTERNAL && nodePort != 0);
    }

    /** Whether the rules of both portals are the same, if both serve the same entries. */
    boolean leadsAs(Portal other) {
        return name().equals(other.name())
                && service.port() == other.service.port()
                && addresses.equals(other.addresses)
                && nodePort == other.nodePort;
    }

    /** Whether there is an endpoint for clients of this entry. If not, a rule rejects them. */
    public boolean serves(ServiceEntry entry) {
        boolean local =
                entry == ServiceEntry.CLUSTER_IP ? service.internalPolicyLocal() : service.externalPolicyLocal();
        boolean cluster = entry != ServiceEntry.CLUSTER_IP || !service.internalPolicyLocal();
        return (local && !endpoints.local().isEmpty())
                || (cluster && !endpoints.cluster().isEmpty());
    }
}
