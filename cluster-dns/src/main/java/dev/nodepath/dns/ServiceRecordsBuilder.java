package dev.nodepath.dns;

import dev.nodepath.dns.RecordData.Location;
import dev.nodepath.linux.address.IpAddress;
import io.netty.handler.codec.dns.DnsRecordType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the records of one Service. */
final class ServiceRecordsBuilder {
    private static final int CLUSTER_IP_TTL = 30;
    /** Endpoints come and go. */
    private static final int ENDPOINT_TTL = 5;

    private static final int WEIGHT_SUM = 100;

    private final DnsService service;
    private final DomainName owner;
    private final Map<DomainName, List<ResourceRecord>> byName = new HashMap<>();
    private final Map<IpAddress, DomainName> pointers = new HashMap<>();

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
        addAddresses(owner, CLUSTER_IP_TTL, service.clusterIps());
        service.clusterIps().forEach(each -> pointers.put(each, owner));
        Map<DomainName, Set<Location>> locations = new HashMap<>();
        service.ports().forEach(port -> addLocation(locations, port, owner));
        addLocations(locations, CLUSTER_IP_TTL);
    }

    private void addAlias() {
        DomainName target = DomainName.of(service.externalName());
        byName.put(owner, List.of(ResourceRecord.target(owner, DnsRecordType.CNAME, CLUSTER_IP_TTL, target)));
    }

    /** The Service's own names lead to its endpoints. */
    private void addEndpoints(List<DnsEndpoint> endpoints) {
        addAddresses(
                owner,
                ENDPOINT_TTL,
                endpoints.stream().map(DnsEndpoint::address).toList());
        Map<DomainName, Set<Location>> locations = new HashMap<>();
        for (DnsEndpoint endpoint : endpoints) {
            DomainName host = owner.below(endpoint.label());
            endpoint.ports().forEach(port -> addLocation(locations, port, host));
        }
        addLocations(locations, ENDPOINT_TTL);
    }

    /** The names of the endpoints themselves. */
    private void addHosts(List<DnsEndpoint> endpoints) {
        Map<DomainName, Set<IpAddress>> hosts = new LinkedHashMap<>();
        for (DnsEndpoint endpoint : endpoints) {
            DomainName host = owner.below(endpoint.label());
            hosts.computeIfAbsent(host, each -> new LinkedHashSet<>()).add(endpoint.address());
            pointers.putIfAbsent(endpoint.address(), host);
        }
        hosts.forEach((host, addresses) -> addAddresses(host, ENDPOINT_TTL, addresses));
    }

    private void addAddresses(DomainName name, int ttl, Collection<IpAddress> addresses) {
        byName.put(
                name,
                addresses.stream()
                        .distinct()
                        .map(each -> ResourceRecord.address(name, ttl, each))
                        .toList());
    }

    /** A location without its weight, which depends on how many there are. */
    private void addLocation(Map<DomainName, Set<Location>> locations, DnsPort port, DomainName target) {
        if (!port.name().isEmpty()) {
            locations
                    .computeIfAbsent(
                            owner.below("_" + port.name(), "_" + port.protocol()), each -> new LinkedHashSet<>())
                    .add(new Location(0, 0, port.port(), target));
        }
    }

    private void addLocations(Map<DomainName, Set<Location>> locations, int ttl) {
        locations.forEach((name, all) -> {
            int weight = Math.max(1, WEIGHT_SUM / all.size());
            List<ResourceRecord> records = new ArrayList<>();
            all.forEach(each -> records.add(new ResourceRecord(
                    name, DnsRecordType.SRV, ttl, new Location(each.priority(), weight, each.port(), each.target()))));
            byName.put(name, List.copyOf(records));
            byName.putIfAbsent(name.without(1), List.of());
        });
    }
}
