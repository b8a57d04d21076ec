package dev.nodepath.dns;

import dev.nodepath.dns.RecordData.Location;
import dev.nodepath.linux.address.IpAddress;
import io.netty.handler.codec.dns.DnsRecordType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the records of one Service. */
final class ServiceRecordsBuilder {
    private static final int CLUSTER_IP_TTL = 30;
    /** Short, because endpoints come and go. */
    private static final int ENDPOINT_TTL = 5;

    private static final int WEIGHT_SUM = 100;

    private final DnsService service;
    private final DomainName owner;
    private final Map<DomainName, List<ResourceRecord>> byName = new HashMap<>();
    private final Map<IpAddress, DomainName> pointers = new HashMap<>();
    private final Map<DomainName, Set<IpAddress>> addresses = new HashMap<>();
    /** Without weights, which depend on the number of a name's locations. */
    private final Map<DomainName, Set<Location>> locations = new HashMap<>();

    ServiceRecordsBuilder(ZoneConfig config, DnsService service) {
        this.service = service;
        this.owner = config.serviceName(service.name());
    }

    ServiceRecords build(Collection<DnsEndpoint> endpoints) {
        List<DnsEndpoint> named = endpoints.stream()
                .filter(each -> each.ready() || service.publishNotReady())
                .toList();
        switch (service.kind()) {
            case CLUSTER_IP -> {
                addClusterIps();
                addHosts(named);
            }
            case EXTERNAL_NAME -> addAlias();
            case HEADLESS -> {
                if (!named.isEmpty()) {
                    addEndpoints(named);
                    addHosts(named);
                }
            }
        }
        return new ServiceRecords(Map.copyOf(byName), Map.copyOf(pointers));
    }

    private void addClusterIps() {
        addAddresses(owner, service.clusterIps());
        service.clusterIps().forEach(each -> pointers.put(each, owner));
        service.ports().forEach(port -> addPort(port, owner, service.clusterIps()));
        write(CLUSTER_IP_TTL);
    }

    private void addAlias() {
        DomainName target = DomainName.of(service.externalName());
        byName.put(owner, List.of(ResourceRecord.target(owner, DnsRecordType.CNAME, CLUSTER_IP_TTL, target)));
    }

    /** The Service's own names lead to its endpoints. */
    private void addEndpoints(List<DnsEndpoint> endpoints) {
        for (DnsEndpoint endpoint : endpoints) {
            List<IpAddress> address = List.of(endpoint.address());
            addAddresses(owner, address);
            endpoint.ports().forEach(port -> addPort(port, owner.below(endpoint.label()), address));
        }
        write(ENDPOINT_TTL);
    }

    /** The names of the endpoints themselves. */
    private void addHosts(List<DnsEndpoint> endpoints) {
        for (DnsEndpoint endpoint : endpoints) {
            DomainName host = owner.below(endpoint.label());
            addAddresses(host, List.of(endpoint.address()));
            endpoint.ports().forEach(port -> addLocation(host, port, host));
            pointers.putIfAbsent(endpoint.address(), host);
        }
        write(ENDPOINT_TTL);
    }

    /** A port of the Service has a name of its own if it is named. */
    private void addPort(DnsPort port, DomainName target, List<IpAddress> itsAddresses) {
        addLocation(owner, port, target);
        if (!port.name().isEmpty()) {
            DomainName name = owner.below("_" + port.name(), "_" + port.protocol());
            addLocation(name, port, target);
            addAddresses(name, itsAddresses);
            byName.put(name.without(1), List.of());
        }
    }

    private void addAddresses(DomainName name, List<IpAddress> added) {
        addresses.computeIfAbsent(name, each -> new LinkedHashSet<>()).addAll(added);
    }

    private void addLocation(DomainName name, DnsPort port, DomainName target) {
        locations.computeIfAbsent(name, each -> new LinkedHashSet<>()).add(new Location(0, 0, port.port(), target));
    }

    /** Writes the records of the added names. Each name with locations has addresses. */
    private void write(int ttl) {
        addresses.forEach((name, all) -> {
            List<ResourceRecord> records = new ArrayList<>();
            all.forEach(each -> records.add(ResourceRecord.address(name, ttl, each)));
            Set<Location> its = locations.getOrDefault(name, Set.of());
            its.forEach(each -> records.add(new ResourceRecord(
                    name,
                    DnsRecordType.SRV,
                    ttl,
                    new Location(each.priority(), Math.max(1, WEIGHT_SUM / its.size()), each.port(), each.target()))));
            byName.put(name, List.copyOf(records));
        });
        addresses.clear();
        locations.clear();
    }
}
