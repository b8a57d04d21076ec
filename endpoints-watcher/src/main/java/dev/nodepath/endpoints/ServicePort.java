package dev.nodepath.endpoints;

import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.List;

/**
 * A port of a Service, as far as a proxy needs it. Both families of a dual-stack Service are in one value.
 *
 * @param name which one
 * @param clusterIps the virtual addresses, none of them {@code None}
 * @param port 1 to 65535
 * @param nodePort 1 to 65535; 0 if the Service has none
 * @param externalIps {@code spec.externalIPs}
 * @param loadBalancerIps addresses of {@code status.loadBalancer.ingress} whose {@code ipMode} is VIP or unset
 */
public record ServicePort(
        ServicePortName name,
        List<IpAddress> clusterIps,
        int port,
        int nodePort,
        List<IpAddress> externalIps,
        List<IpAddress> loadBalancerIps) {

    /** Copies the lists. */
    public ServicePort {
        clusterIps = List.copyOf(clusterIps);
        externalIps = List.copyOf(externalIps);
        loadBalancerIps = List.copyOf(loadBalancerIps);
    }

    /** The transport protocol. */
    public Protocol protocol() {
        return name.protocol();
    }

    /** The cluster IPs of one family. */
    public List<IpAddress> clusterIps(IpFamily family) {
        return clusterIps.stream().filter(ip -> ip.family() == family).toList();
    }

    /** The external IPs of one family. */
    public List<IpAddress> externalIps(IpFamily family) {
        return externalIps.stream().filter(ip -> ip.family() == family).toList();
    }

    /** The load balancer IPs of one family. */
    public List<IpAddress> loadBalancerIps(IpFamily family) {
        return loadBalancerIps.stream().filter(ip -> ip.family() == family).toList();
    }
}
