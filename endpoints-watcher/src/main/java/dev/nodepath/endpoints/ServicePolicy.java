package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import java.util.List;

/**
 * The policies of a Service. All its ports share one value.
 *
 * @param type {@code spec.type}
 * @param internalTraffic {@code spec.internalTrafficPolicy}, for traffic to cluster IPs
 * @param externalTraffic {@code spec.externalTrafficPolicy}, for traffic to node ports, external IPs and load balancer
 *     IPs
 * @param affinitySeconds how long a client stays pinned to its endpoint ({@code sessionAffinity: ClientIP}), 1 to
 *     {@value #MAX_AFFINITY_SECONDS}; 0 for no affinity
 * @param sourceRanges {@code spec.loadBalancerSourceRanges}: the clients that may use the load balancer IPs, with host
 *     bits cleared; empty for all clients
 * @param healthCheckNodePort {@code spec.healthCheckNodePort}, 1 to 65535; 0 if the Service has none
 */
public record ServicePolicy(
        ServiceType type,
        TrafficPolicy internalTraffic,
        TrafficPolicy externalTraffic,
        int affinitySeconds,
        List<Cidr> sourceRanges,
        int healthCheckNodePort) {

    /** The API server's default timeout of {@code sessionAffinity: ClientIP}: three hours. */
    public static final int DEFAULT_AFFINITY_SECONDS = 10_800;

    /** The API server's limit: one day. */
    public static final int MAX_AFFINITY_SECONDS = 86_400;

    /** A Service of type ClusterIP with all defaults. */
    public static final ServicePolicy DEFAULT =
            new ServicePolicy(ServiceType.CLUSTER_IP, TrafficPolicy.CLUSTER, TrafficPolicy.CLUSTER, 0, List.of(), 0);

    /** Clears the host bits of the ranges. */
    public ServicePolicy {
        sourceRanges = sourceRanges.stream().map(Cidr::network).toList();
        if (affinitySeconds < 0 || affinitySeconds > MAX_AFFINITY_SECONDS) {
            throw new IllegalArgumentException(
                    "affinitySeconds: " + affinitySeconds + " (expected: 0 to " + MAX_AFFINITY_SECONDS + ")");
        }
    }
}
