package dev.nodepath.endpoints;

import java.util.List;

/**
 * All objects of a source at one moment.
 *
 * @param services no two with the same namespace and name
 * @param slices no two with the same namespace and name
 * @param nodes no two with the same name
 * @param serviceCidrs no two with the same name
 */
public record ClusterObjects(
        List<Service> services, List<EndpointSlice> slices, List<NodeInfo> nodes, List<ServiceCidr> serviceCidrs) {
    public ClusterObjects {
        services = List.copyOf(services);
        slices = List.copyOf(slices);
        nodes = List.copyOf(nodes);
        serviceCidrs = List.copyOf(serviceCidrs);
    }
}
