package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits until the workloads of a cluster that starts have the Pods that they ask for. */
final class Rollouts {
    private static final List<Resource> REPLICATED =
            List.of(Resources.DEPLOYMENTS, Resources.REPLICA_SETS, Resources.STATEFUL_SETS);

    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration SILENCE_MAX = Duration.ofSeconds(10);
    private static final int NAMES_MAX = 4;

    private final ClusterApi api;
    private final Supplier<Duration> clock;

    /**
     * Asks this API.
     *
     * @param clock time since any fixed moment
     */
    Rollouts(ClusterApi api, Supplier<Duration> clock) {
        this.api = api;
        this.clock = clock;
    }

    /** Whether each controller has seen its workload, each workload has all of its Pods, and every Pod is ready. */
    private boolean areComplete() {
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
                && unready().isEmpty();
    }

    /**
     * Waits until they are complete, or until no further Pod is worth waiting for.
     *
     * @param progress gets a line now and then while that takes long
     * @return a line for each Pod that is not ready
     */
    List<String> await(Consumer<String> progress) throws InterruptedException {
        Duration told = clock.get();
        StartPatience patience = new StartPatience(told);
        while (!areComplete()) {
            Duration now = clock.get();
            if (patience.isOver(all(Resources.PODS), now)) {
                break;
            }
            if (now.minus(told).compareTo(SILENCE_MAX) > 0) {
                told = now;
                progress.accept(waitingFor(unready()));
            }
            Thread.sleep(LOOK.toMillis());
        }
        return unready().stream()
                .map(pod -> "pod " + ObjectKey.of(pod) + " is not ready: " + PodTrouble.of(pod))
                .toList();
    }

    static String waitingFor(List<ObjectNode> unready) {
        if (unready.isEmpty()) {
            return "waiting for pods that a workload has yet to get";
        }
        String names = unready.stream()
                .limit(NAMES_MAX)
                .map(pod -> ObjectKey.of(pod).toString())
                .collect(Collectors.joining(", "));
        return "waiting for " + unready.size() + (unready.size() == 1 ? " pod: " : " pods: ") + names
                + (unready.size() > NAMES_MAX ? ", ..." : "");
    }

    private List<ObjectNode> unready() {
        return all(Resources.PODS).stream()
                .filter(pod -> !PodState.isReady(pod))
                .toList();
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
