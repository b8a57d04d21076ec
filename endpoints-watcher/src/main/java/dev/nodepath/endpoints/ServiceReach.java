package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;

/**
 * The traffic of a service port that a node accepts in one family. Traffic to cluster IPs is internal; traffic to
 * external IPs, load balancer IPs and node ports is external, from whatever source.
 *
 * @param service the service port
 * @param family the family of its addresses
 * @param endpoints the endpoints of the family that take new connections
 */
public record ServiceReach(ServicePort service, IpFamily family, SelectedEndpoints endpoints) {

    /** The reach on the node of this name. */
    public static ServiceReach of(ServiceSnapshot snapshot, ServicePort service, IpFamily family, String node) {
        return new ServiceReach(service, family, EndpointSelection.select(snapshot, service, family, node));
    }

    /** Whether there is an endpoint for internal traffic on this node. */
    public boolean acceptsInternal() {
        return endpoints.anywhere()
                && !(service.internalPolicyLocal() && endpoints.local().isEmpty());
    }

    /** Whether there is an endpoint on this node for external traffic from outside. */
    public boolean acceptsExternal() {
        return endpoints.anywhere()
                && !(service.externalPolicyLocal() && endpoints.local().isEmpty());
    }

    /**
     * Whether external traffic is forwarded. Traffic of this node and its pods is forwarded even if other traffic is
     * not.
     */
    public boolean forwardsExternal() {
        return service.externallyAccessible(family) && endpoints.anywhere();
    }

    /** Whether source ranges restrict the load balancer IPs, even without endpoints. */
    public boolean hasSourceRanges() {
        return !service.loadBalancerIps(family).isEmpty()
                && !service.sourceRanges(family).isEmpty();
    }
}
