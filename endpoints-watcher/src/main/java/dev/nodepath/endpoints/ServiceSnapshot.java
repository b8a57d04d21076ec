package dev.nodepath.endpoints;

import dev.nodepath.linux.IpFamily;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.pcollections.TreePMap;

/**
 * All Services, their endpoints and the Nodes at one moment. Immutable. The maps are persistent: two snapshots share all
 * that is the same in both, so a new one costs what changed; {@code size()} is cheap, {@code equals()} is not.
 *
 * @param services every port of every usable Service
 * @param endpoints the endpoints of each service port, each address and port once, sorted by {@link Endpoint#hostAndPort()},
 *     so that IPv4 comes before IPv6; a port without endpoints has no entry
 * @param nodes the Nodes by name
 */
public record ServiceSnapshot(
        SortedMap<ServicePortName, ServicePort> services,
        Map<ServicePortName, List<Endpoint>> endpoints,
        SortedMap<String, NodeInfo> nodes) {

    /** Nothing at all. */
    public static final ServiceSnapshot EMPTY =
            new ServiceSnapshot(TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

    /** Copies the maps, unless they are persistent ones. */
    public ServiceSnapshot {
        services = persistent(services);
        endpoints = persistent(endpoints);
        nodes = persistent(nodes);
    }

    /** All endpoints of one family of a service port, whatever their conditions, in order. */
    public List<Endpoint> endpoints(ServicePortName name, IpFamily family) {
        List<Endpoint> both = endpoints.get(name);
        if (both == null) {
            return List.of();
        }
        for (Endpoint endpoint : both) {
            if (endpoint.address().family() != family) {
                return both.stream()
                        .filter(one -> one.address().family() == family)
                        .toList();
            }
        }
        return both;
    }

    private static <K extends Comparable<? super K>, V> TreePMap<K, V> persistent(Map<K, V> map) {
        return map instanceof TreePMap<K, V> already ? already : TreePMap.from(map);
    }
}
