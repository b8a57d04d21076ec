package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.pcollections.TreePMap;

/**
 * All Services, their endpoints and the Nodes at one moment. Immutable. The maps are persistent: snapshots share equal
 * parts, so the cost of a new one is proportional to the change. {@code size()} is cheap, {@code equals()} is not.
 *
 * @param services every port of every usable Service
 * @param endpoints the endpoints of each service port, each address and port once, sorted by
 *     {@link Endpoint#hostAndPort()}, so that IPv4 comes before IPv6; a port without endpoints has no entry. A list may
 *     make new elements at each call: compare them by equals, and copy elements that you keep
 * @param nodes the Nodes by name
 * @param serviceCidrs the ranges of cluster IPs by name; none if the source does not follow them
 */
public record ServiceSnapshot(
        SortedMap<ServicePortName, ServicePort> services,
        Map<ServicePortName, List<Endpoint>> endpoints,
        SortedMap<String, NodeInfo> nodes,
        SortedMap<String, ServiceCidr> serviceCidrs) {

    /** Nothing at all. */
    public static final ServiceSnapshot EMPTY =
            new ServiceSnapshot(TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

    /** Copies the maps, unless they are persistent ones. */
    public ServiceSnapshot {
        services = persistent(services);
        endpoints = persistent(endpoints);
        nodes = persistent(nodes);
        serviceCidrs = persistent(serviceCidrs);
    }

    /** A snapshot without ranges of cluster IPs. */
    public ServiceSnapshot(
            SortedMap<ServicePortName, ServicePort> services,
            Map<ServicePortName, List<Endpoint>> endpoints,
            SortedMap<String, NodeInfo> nodes) {
        this(services, endpoints, nodes, TreePMap.empty());
    }

    /** All endpoints of one family of a service port, in any condition, in order. */
    public List<Endpoint> endpoints(ServicePortName name, IpFamily family) {
        List<Endpoint> both = endpoints.get(name);
        if (both == null) {
            return List.of();
        }
        int ipv4 = ipv4Count(both);
        int from = family == IpFamily.IPV4 ? 0 : ipv4;
        int to = family == IpFamily.IPV4 ? ipv4 : both.size();
        return to - from == both.size() ? both : both.subList(from, to);
    }

    /** The number of IPv4 endpoints, which come first. A binary search, because a list may be long. */
    private static int ipv4Count(List<Endpoint> sorted) {
        int from = 0;
        int to = sorted.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (sorted.get(middle).address().family() == IpFamily.IPV4) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    private static <K extends Comparable<? super K>, V> TreePMap<K, V> persistent(Map<K, V> map) {
        return map instanceof TreePMap<K, V> already ? already : TreePMap.from(map);
    }
}
