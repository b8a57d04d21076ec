package dev.nodepath.proxy.userspace.metrics;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;

/**
 * The traffic of a service port in one family. The values are from about one moment.
 *
 * @param name the name of the service port
 * @param family of its addresses and endpoints
 * @param traffic of all endpoints, including removed ones
 * @param endpoints the endpoints that take new connections, or still have open ones
 */
public record ServiceCounts(
        ServicePortName name, IpFamily family, TrafficCounts traffic, List<EndpointCounts> endpoints) {
    public ServiceCounts {
        endpoints = List.copyOf(endpoints);
    }
}
