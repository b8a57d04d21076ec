package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import java.util.List;

/**
 * What a Service asks for besides being reached; one value for all its ports.
 *
 * @param type {@code spec.type}
 * @param internalTraffic {@code spec.internalTrafficPolicy}: of traffic to cluster IPs
 * @param externalTraffic {@code spec.externalTrafficPolicy}: of traffic to node ports, external IPs and load balancer IPs
 * @param affinitySeconds how long a client keeps its endpoint ({@code sessionAffinity: ClientIP}), 1 to
 *     {@value #MAX_AFFINITY_SECONDS}; 0 for no affinity
 * @param sourceRanges {@code spec.loadBalancerSourceRanges}: who may use the load balancer IPs, host bits cleared; empty
 *     for everyone
 * @param healthCheckNodePort {@code spec.healthCheckNodePort}, 1 to 65535; 0 if the Service has none
 */
public record ServicePolicy(
        ServiceType type,
        TrafficPolicy internalTraffic,
        TrafficPolicy externalTraffic,
        int affinitySeconds,
        List<Cidr> sourceRanges,
        int healthCheckNodePort) {

    /** What the API server fills in for {@code sessionAffinity: ClientIP} without a timeout: three hours. */
    public static final int DEFAULT_AFFINITY_SECONDS = 10_800;

    /** One day, the longest that the API server takes. */
    public static final int MAX_AFFINITY_SECONDS = 86_400;

    /** A Service of type ClusterIP that asks for nothing. */
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
