package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;

/** Whether workloads have the Pods that they ask for. */
final class Rollouts {
    private static final List<Resource> REPLICATED =
            List.of(Resources.DEPLOYMENTS, Resources.REPLICA_SETS, Resources.STATEFUL_SETS);

    private final ClusterApi api;

    Rollouts(ClusterApi api) {
        this.api = api;
    }

    /** Whether each workload was seen by its controller and has all of its Pods, and every Pod is ready. */
    boolean areComplete() {
        return REPLICATED.stream()
                        .allMatch(kind ->
                                all(kind).stream().allMatch(each -> isComplete(each, replicas(each), "readyReplicas")))
                && all(Resources.DAEMON_SETS).stream()
                        .allMatch(each -> isComplete(
                                each,
                                each.path("status")
                                        .path("desiredNumberScheduled")
                                        .asInt(0),
                                "numberReady"))
                && all(Resources.PODS).stream().map(PodView::of).allMatch(PodView::ready);
    }

    private List<ObjectNode> all(Resource kind) {
        return api.list(kind, "").objects();
    }

    private static int replicas(ObjectNode workload) {
        return workload.path("spec").path("replicas").asInt(1);
    }

    private static boolean isComplete(ObjectNode workload, int wanted, String field) {
        JsonNode status = workload.path("status");
        return status.path("observedGeneration").asLong(0)
                        >= workload.path("metadata").path("generation").asLong(0)
                && status.path(field).asInt(0) == wanted;
    }
}
