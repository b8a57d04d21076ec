package dev.nodepath.endpoints.tracker;

import dev.nodepath.endpoints.NodeInfo;
import java.util.List;

/**
 * All objects of a source at one moment.
 *
 * @param services no two with the same namespace and name
 * @param slices no two with the same namespace and name
 * @param nodes no two with the same name
 */
public record ClusterObjects(List<Service> services, List<EndpointSlice> slices, List<NodeInfo> nodes) {
    /** Copies the lists. */
    public ClusterObjects {
        services = List.copyOf(services);
        slices = List.copyOf(slices);
        nodes = List.copyOf(nodes);
    }
}
