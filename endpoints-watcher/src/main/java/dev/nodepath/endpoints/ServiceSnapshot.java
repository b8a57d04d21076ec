package dev.nodepath.endpoints;

import dev.nodepath.linux.IpFamily;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All Services, their endpoints and the Nodes at one moment. Immutable.
 *
 * @param services every port of every usable Service
 * @param endpoints the endpoints of each service port, each address and port once, sorted by {@link Endpoint#hostAndPort()};
 *     a port without endpoints has no entry
 * @param nodes the Nodes by name
 */
public record ServiceSnapshot(
        SortedMap<ServicePortName, ServicePort> services,
        Map<ServicePortName, List<Endpoint>> endpoints,
        SortedMap<String, NodeInfo> nodes) {

    /** Nothing at all. */
    public static final ServiceSnapshot EMPTY = new ServiceSnapshot(new TreeMap<>(), Map.of(), new TreeMap<>());

    /** Copies the maps. */
    public ServiceSnapshot {
        services = Collections.unmodifiableSortedMap(new TreeMap<>(services));
        endpoints = Map.copyOf(endpoints);
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
    }

    /** All endpoints of one family of a service port, whatever their conditions, in order. */
    public List<Endpoint> endpoints(ServicePortName name, IpFamily family) {
        List<Endpoint> both = endpoints.getOrDefault(name, List.of());
        return both.stream().allMatch(endpoint -> endpoint.address().family() == family)
                ? both
                : both.stream()
                        .filter(endpoint -> endpoint.address().family() == family)
                        .toList();
    }
}
