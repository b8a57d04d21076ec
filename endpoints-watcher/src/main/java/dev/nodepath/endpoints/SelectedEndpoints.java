package dev.nodepath.endpoints;

import java.util.List;

/**
 * The endpoints of a service port that take new connections on one node. The lists keep the order of the snapshot, and
 * share their objects.
 *
 * @param cluster the endpoints for the policy Cluster; empty also if the port has no such traffic
 * @param local the endpoints for the policy Local; empty also if the port has no such traffic
 * @param reachable the union of both
 * @param anywhere whether any endpoint in the cluster takes connections. If not, clients are rejected. If only this
 *     node has none, their packets are dropped
 */
public record SelectedEndpoints(
        List<Endpoint> cluster, List<Endpoint> local, List<Endpoint> reachable, boolean anywhere) {
    /** No endpoints. */
    public static final SelectedEndpoints NONE = new SelectedEndpoints(List.of(), List.of(), List.of(), false);

    public SelectedEndpoints {
        cluster = List.copyOf(cluster);
        local = List.copyOf(local);
        reachable = List.copyOf(reachable);
    }
}
