package dev.nodepath.proxy.userspace.metrics;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;

/**
 * What a service port has carried in one family, at about one moment.
 *
 * @param name which one
 * @param family of its addresses and endpoints
 * @param excluded clients reset, or datagrams dropped, because source ranges exclude them
 * @param traffic of all endpoints, those that are gone included
 * @param endpoints those that take connections now, or still have some
 */
public record ServiceCounts(
        ServicePortName name, IpFamily family, long excluded, TrafficCounts traffic, List<EndpointCounts> endpoints) {
    /** Copies the list. */
    public ServiceCounts {
        endpoints = List.copyOf(endpoints);
    }
}
