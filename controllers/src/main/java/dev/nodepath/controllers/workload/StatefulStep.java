package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.ReplicaLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * The next step for a StatefulSet. An ordered set makes one step at a time: a Pod starts once all Pods before it are
 * available, and is deleted once all Pods behind it are gone. A parallel set does not wait, except in a rolling
 * update.
 *
 * @param created ordinals of Pods to create
 * @param deleted Pods to delete
 */
record StatefulStep(List<Integer> created, List<ObjectNode> deleted) {
    StatefulStep {
        created = List.copyOf(created);
        deleted = List.copyOf(deleted);
    }

    /**
     * The next step.
     *
     * @param pods by ordinal
     * @param update the name of the newest revision
     */
    static StatefulStep of(JsonNode set, NavigableMap<Integer, ObjectNode> pods, String update, Instant now) {
        Builder builder = new Builder(set, pods, now);
        if (builder.keepReplicas() && builder.shrink()) {
            builder.update(update);
        }
        return new StatefulStep(builder.created, builder.deleted);
    }

    /** The ordinal of the first Pod. */
    static int start(JsonNode set) {
        return set.path("spec").path("ordinals").path("start").asInt(0);
    }

    /** Whether the set has no place left for the Pod of an ordinal. */
    static boolean isCondemned(JsonNode set, int ordinal) {
        return ordinal < start(set) || ordinal >= start(set) + ReplicaSetController.replicas(set);
    }

    /** Pods with smaller ordinals are not updated. */
    static int partition(JsonNode set) {
        return start(set)
                + set.path("spec")
                        .path("updateStrategy")
                        .path("rollingUpdate")
                        .path("partition")
                        .asInt(0);
    }

    /** Each method returns whether the next one may go on. */
    private static final class Builder {
        private final JsonNode set;
        private final NavigableMap<Integer, ObjectNode> pods;
        private final Instant now;
        private final int end;
        private final boolean ordered;
        private final Duration minReady;
        private final List<Integer> created = new ArrayList<>();
        private final List<ObjectNode> deleted = new ArrayList<>();

        Builder(JsonNode set, NavigableMap<Integer, ObjectNode> pods, Instant now) {
            this.set = set;
            this.pods = pods;
            this.now = now;
            this.end = start(set) + ReplicaSetController.replicas(set);
            this.ordered =
                    !set.path("spec").path("podManagementPolicy").asText("").equals("Parallel");
            this.minReady = PodCounts.minReady(set);
        }

        boolean keepReplicas() {
            for (int ordinal = start(set); ordinal < end; ordinal++) {
                @Nullable ObjectNode pod = pods.get(ordinal);
                if (pod == null) {
                    created.add(ordinal);
                } else if (PodState.isFinished(pod) && !Meta.isTerminating(pod)) {
                    deleted.add(pod);
                }
                if (ordered && (pod == null || !isAvailable(pod))) {
                    return false;
                }
            }
            return created.isEmpty() && deleted.isEmpty();
        }

        boolean shrink() {
            List<ObjectNode> condemned = new ArrayList<>();
            condemned.addAll(pods.headMap(start(set)).values());
            condemned.addAll(pods.tailMap(end).values());
            for (int i = condemned.size() - 1; i >= 0; i--) {
                ObjectNode pod = condemned.get(i);
                if (!Meta.isTerminating(pod)) {
                    deleted.add(pod);
                }
                if (ordered) {
                    return false;
                }
            }
            return condemned.isEmpty();
        }

        void update(String revision) {
            JsonNode strategy = set.path("spec").path("updateStrategy");
            if (strategy.path("type").asText("RollingUpdate").equals("OnDelete")) {
                return;
            }
            JsonNode limit = strategy.path("rollingUpdate").path("maxUnavailable");
            int budget = Math.max(1, ReplicaLimit.roundedUp(limit, ReplicaSetController.replicas(set), "1"));
            for (ObjectNode pod : pods.headMap(end, false).values()) {
                budget -= isAvailable(pod) ? 0 : 1;
            }
            int first = Math.min(partition(set), end);
            for (ObjectNode pod :
                    pods.subMap(first, true, end, false).descendingMap().values()) {
                boolean old = !StatefulPods.revision(pod).equals(revision) && !Meta.isTerminating(pod);
                if (old && (budget > 0 || !isAvailable(pod))) {
                    deleted.add(pod);
                    budget -= isAvailable(pod) ? 1 : 0;
                }
            }
        }

        private boolean isAvailable(JsonNode pod) {
            return PodState.isActive(pod) && PodState.isAvailable(pod, minReady, now);
        }
    }
}
