package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Selects the endpoints of a service port that take new connections. Pure functions for all proxy modes.
 *
 * <p>Ready endpoints come first. If there are none, terminating endpoints that still serve are used, so that the last
 * pods of a rollout can drain (KEP-1669). Topology hints narrow the cluster's ready endpoints, first by node, then by
 * zone (KEP-2433, KEP-3015). Hints apply only if all ready endpoints have them, and at least one names this node or
 * zone.
 */
public final class EndpointSelection {
    private EndpointSelection() {}

    /**
     * The endpoints of one family for a node.
     *
     * @param snapshot with the Node, whose zone counts; a missing Node has no zone
     * @param node the name of the Node that the proxy works on
     */
    public static SelectedEndpoints select(
            ServiceSnapshot snapshot, ServicePort service, IpFamily family, String node) {
        NodeInfo info = snapshot.nodes().get(node);
        return select(
                service, snapshot.endpoints(service.name(), family), family, node, info == null ? "" : info.zone());
    }

    /** Selects among endpoints of one family for a node in a zone. Either name may be empty. */
    static SelectedEndpoints select(ServicePort service, List<Endpoint> of, IpFamily family, String node, String zone) {
        if (of.isEmpty()) {
            return SelectedEndpoints.NONE;
        }
        // A snapshot's list makes new elements at each call. The copy gives all lists the same objects.
        List<Endpoint> endpoints = List.copyOf(of);
        boolean external = service.externallyAccessible(family);
        boolean usesLocal = service.internalPolicyLocal() || (service.externalPolicyLocal() && external);
        // External traffic that comes from this node goes to the whole cluster also under the policy Local.
        boolean usesCluster = !service.internalPolicyLocal() || external;
        List<Endpoint> cluster = usesCluster ? cluster(endpoints, node, zone) : List.of();
        List<Endpoint> local = usesLocal ? readyOrDraining(endpoints, endpoint -> endpoint.isOn(node)) : List.of();
        boolean anywhere = usesCluster ? !cluster.isEmpty() : endpoints.stream().anyMatch(EndpointSelection::isUsable);
        return new SelectedEndpoints(cluster, local, union(endpoints, cluster, local), anywhere);
    }

    private static List<Endpoint> cluster(List<Endpoint> endpoints, String node, String zone) {
        List<Endpoint> candidates = readyOrDraining(endpoints, endpoint -> true);
        if (candidates.isEmpty() || !candidates.get(0).ready()) {
            return candidates;
        }
        Predicate<Endpoint> forNode = endpoint -> endpoint.hints().nodes().contains(node);
        if (heeded(candidates, endpoint -> !endpoint.hints().nodes().isEmpty(), forNode)) {
            return filter(candidates, forNode);
        }
        Predicate<Endpoint> forZone = endpoint -> endpoint.hints().zones().contains(zone);
        if (heeded(candidates, endpoint -> !endpoint.hints().zones().isEmpty(), forZone)) {
            return filter(candidates, forZone);
        }
        return candidates;
    }

    private static boolean heeded(List<Endpoint> ready, Predicate<Endpoint> hinted, Predicate<Endpoint> forUs) {
        return ready.stream().allMatch(hinted) && ready.stream().anyMatch(forUs);
    }

    private static List<Endpoint> readyOrDraining(List<Endpoint> endpoints, Predicate<Endpoint> eligible) {
        List<Endpoint> ready = filter(endpoints, eligible.and(Endpoint::ready));
        return ready.isEmpty() ? filter(endpoints, eligible.and(EndpointSelection::isDraining)) : ready;
    }

    private static boolean isDraining(Endpoint endpoint) {
        return endpoint.serving() && endpoint.terminating();
    }

    private static boolean isUsable(Endpoint endpoint) {
        return endpoint.ready() || isDraining(endpoint);
    }

    private static List<Endpoint> union(List<Endpoint> all, List<Endpoint> cluster, List<Endpoint> local) {
        if (local.isEmpty() || cluster.equals(local)) {
            return cluster;
        }
        if (cluster.isEmpty()) {
            return local;
        }
        Set<Endpoint> either = new HashSet<>(cluster);
        either.addAll(local);
        return filter(all, either::contains);
    }

    /** The list itself if all match, which is the usual case. */
    private static List<Endpoint> filter(List<Endpoint> endpoints, Predicate<Endpoint> stays) {
        return endpoints.stream().allMatch(stays)
                ? endpoints
                : endpoints.stream().filter(stays).toList();
    }
}
