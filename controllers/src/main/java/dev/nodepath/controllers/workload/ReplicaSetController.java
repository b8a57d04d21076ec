package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Keeps the number of Pods that each ReplicaSet asks for. */
public final class ReplicaSetController implements Controller {
    private final ClusterApi api;
    private final InstantSource clock;
    private final PodFactory factory;
    private final PodClaims claims;

    public ReplicaSetController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.factory = new PodFactory(api, new EventRecorder(api, clock, "replicaset-controller", ""));
        this.claims = new PodClaims(api, Resources.PODS);
    }

    @Override
    public String name() {
        return "replicaset";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(Trigger.each(Resources.REPLICA_SETS), PodClaims.trigger(Resources.PODS, Resources.REPLICA_SETS));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.name().isEmpty()) {
            api.list(Resources.REPLICA_SETS, key.namespace()).objects().forEach(set -> queue.add(ObjectKey.of(set)));
            return;
        }
        Optional<ObjectNode> set = api.find(Resources.REPLICA_SETS, key);
        if (set.isPresent()) {
            keep(set.get(), queue);
        }
    }

    private void keep(ObjectNode set, KeyQueue queue) {
        Optional<StatusException> failure = Optional.empty();
        if (!Meta.isTerminating(set)) {
            failure = scale(set, claims.of(set));
        }
        List<ObjectNode> pods = claims.of(set);
        Instant now = clock.instant();
        PodCounts counts = PodCounts.of(pods, PodCounts.minReady(set), now);
        writeStatus(set, pods, counts, failure);
        counts.nextAvailable().ifPresent(at -> queue.addAfter(ObjectKey.of(set), Duration.between(now, at)));
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    /** Creates missing Pods, or deletes surplus ones; returns the error if that failed. */
    private Optional<StatusException> scale(ObjectNode set, List<ObjectNode> pods) {
        List<ObjectNode> active = pods.stream().filter(PodState::isActive).toList();
        int missing = replicas(set) - active.size();
        try {
            for (int i = 0; i < missing; i++) {
                ObjectNode pod = PodFactory.fromTemplate(set, set.path("spec").path("template"));
                pod.withObjectProperty("metadata").put("generateName", Meta.name(set) + "-");
                factory.create(set, pod);
            }
            if (missing < 0) {
                DeletionOrder.sort(active).subList(0, -missing).forEach(pod -> factory.delete(set, pod));
            }
            return Optional.empty();
        } catch (StatusException e) {
            return Optional.of(e);
        }
    }

    private void writeStatus(
            ObjectNode set, Collection<ObjectNode> pods, PodCounts counts, Optional<StatusException> failure) {
        JsonNode labels = set.path("spec").path("template").path("metadata").path("labels");
        int labelled = (int) pods.stream()
                .filter(PodState::isActive)
                .filter(pod -> labels.isEmpty() || SelectorMatch.matchesMap(labels, Meta.labels(pod)))
                .count();
        api.modify(Resources.REPLICA_SETS, ObjectKey.of(set), "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status");
            status.put("replicas", counts.active());
            PodCounts.put(status, "fullyLabeledReplicas", labelled);
            PodCounts.put(status, "readyReplicas", counts.ready());
            PodCounts.put(status, "availableReplicas", counts.available());
            PodCounts.put(status, "terminatingReplicas", counts.terminating());
            status.put("observedGeneration", Meta.generation(set));
            if (failure.isPresent()) {
                ConditionList.set(
                        copy,
                        "ReplicaFailure",
                        "True",
                        "FailedCreate",
                        String.valueOf(failure.get().getMessage()),
                        clock.instant());
            } else if (ConditionList.find(copy, "ReplicaFailure").isPresent()) {
                ConditionList.remove(copy, "ReplicaFailure");
            }
            return copy;
        });
    }

    /** {@code spec.replicas} of a set. */
    static int replicas(JsonNode set) {
        return set.path("spec").path("replicas").asInt(1);
    }
}
