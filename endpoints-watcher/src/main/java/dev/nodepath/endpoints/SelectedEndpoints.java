package dev.nodepath.endpoints;

import java.util.List;

/**
 * Which endpoints of a service port take new connections on one node; each list in the order of the snapshot, and an endpoint
 * the same object in all of them.
 *
 * @param cluster those for traffic of the policy Cluster; empty also if the port has no such traffic
 * @param local those for traffic of the policy Local; empty also if the port has no such traffic
 * @param reachable both together, each once
 * @param anywhere whether any endpoint in the whole cluster would take connections; where that is not so, clients are
 *     refused, and where there is only none here, their packets are dropped
 */
public record SelectedEndpoints(
        List<Endpoint> cluster, List<Endpoint> local, List<Endpoint> reachable, boolean anywhere) {
    /** None at all. */
    public static final SelectedEndpoints NONE = new SelectedEndpoints(List.of(), List.of(), List.of(), false);

    /** Copies the lists. */
    public SelectedEndpoints {
        cluster = List.copyOf(cluster);
        local = List.copyOf(local);
        reachable = List.copyOf(reachable);
    }
}
