package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;

/**
 * A port of a Service, with the fields that a proxy needs. One value has both families of a dual-stack Service.
 *
 * @param name which one
 * @param clusterIps the virtual addresses, none of them {@code None}
 * @param port 1 to 65535
 * @param nodePort 1 to 65535; 0 if the Service has none
 * @param externalIps {@code spec.externalIPs}
 * @param loadBalancerIps addresses of {@code status.loadBalancer.ingress} whose {@code ipMode} is VIP or unset
 * @param policy the policies of the Service; all its ports share one value
 */
public record ServicePort(
        ServicePortName name,
        List<IpAddress> clusterIps,
        int port,
        int nodePort,
        List<IpAddress> externalIps,
        List<IpAddress> loadBalancerIps,
        ServicePolicy policy) {

    public ServicePort {
        clusterIps = List.copyOf(clusterIps);
        externalIps = List.copyOf(externalIps);
        loadBalancerIps = List.copyOf(loadBalancerIps);
    }

    /** A port of a Service with default policies. */
    public ServicePort(
            ServicePortName name,
            List<IpAddress> clusterIps,
            int port,
            int nodePort,
            List<IpAddress> externalIps,
            List<IpAddress> loadBalancerIps) {
        this(name, clusterIps, port, nodePort, externalIps, loadBalancerIps, ServicePolicy.DEFAULT);
    }

    /** The transport protocol. */
    public Protocol protocol() {
        return name.protocol();
    }

    /** The cluster IPs of one family. */
    public List<IpAddress> clusterIps(IpFamily family) {
        return ofFamily(clusterIps, family);
    }

    /** The external IPs of one family. */
    public List<IpAddress> externalIps(IpFamily family) {
        return ofFamily(externalIps, family);
    }

    /** The load balancer IPs of one family. */
    public List<IpAddress> loadBalancerIps(IpFamily family) {
        return ofFamily(loadBalancerIps, family);
    }

    /** The source ranges of one family; empty if they admit every client of the family. */
    public List<Cidr> sourceRanges(IpFamily family) {
        List<Cidr> ranges = policy.sourceRanges().stream()
                .filter(range -> range.family() == family)
                .toList();
        return ranges.stream().anyMatch(range -> range.prefixLength() == 0) ? List.of() : ranges;
    }

    /** Whether it has an external address of the family, or a node port. */
    public boolean externallyAccessible(IpFamily family) {
        return nodePort != 0
                || !externalIps(family).isEmpty()
                || !loadBalancerIps(family).isEmpty();
    }

    /** Whether traffic to the cluster IP only goes to endpoints on the node. */
    public boolean internalPolicyLocal() {
        return policy.internalTraffic() == TrafficPolicy.LOCAL;
    }

    /**
     * Whether traffic from outside only goes to endpoints on the node. A Service without an external address ignores
     * the policy.
     */
    public boolean externalPolicyLocal() {
        return policy.externalTraffic() == TrafficPolicy.LOCAL
                && (policy.type() != ServiceType.CLUSTER_IP || !externalIps.isEmpty());
    }

    /**
     * The port of the Service's health check; 0 if it has none. Only a load balancer with the external policy Local has
     * one.
     */
    public int healthCheckNodePort() {
        return policy.type() == ServiceType.LOAD_BALANCER && externalPolicyLocal() ? policy.healthCheckNodePort() : 0;
    }

    private static List<IpAddress> ofFamily(List<IpAddress> addresses, IpFamily family) {
        for (IpAddress address : addresses) {
            if (address.family() != family) {
                return addresses.stream().filter(ip -> ip.family() == family).toList();
            }
        }
        return addresses;
    }
}
