package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Rolls out Deployments. Each revision of the template has a ReplicaSet, up to the history limit. Replicas move from
 * the old sets to the newest. Each call makes one step; the resulting change triggers the next.
 */
public final class DeploymentController implements Controller {
    private static final int HISTORY_LIMIT = 10;

    private final ClusterApi api;
    private final InstantSource clock;
    private final EventRecorder events;
    private final PodClaims claims;

    public DeploymentController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, clock, "deployment-controller", "");
        this.claims = new PodClaims(api, Resources.REPLICA_SETS);
    }

    @Override
    public String name() {
        return "deployment";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                Trigger.each(Resources.DEPLOYMENTS), PodClaims.trigger(Resources.REPLICA_SETS, Resources.DEPLOYMENTS));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.name().isEmpty()) {
            api.list(Resources.DEPLOYMENTS, key.namespace()).objects().forEach(each -> queue.add(ObjectKey.of(each)));
            return;
        }
        Optional<ObjectNode> deployment = api.find(Resources.DEPLOYMENTS, key);
        if (deployment.isPresent()) {
            roll(deployment.get());
            writeStatus(key, queue);
        }
    }

    private void roll(ObjectNode deployment) {
        if (Meta.isTerminating(deployment)) {
            return;
        }
        List<ObjectNode> sets = byRevision(claims.of(deployment));
        Optional<ObjectNode> newest = DeploymentRevision.find(deployment, sets);
        if (DeploymentStatus.isPaused(deployment)) {
            note(deployment, status -> status.setPaused(true));
            resize(deployment, sets, newest);
            return;
        }
        note(deployment, status -> status.setPaused(false));
        List<ObjectNode> old = sets.stream()
                .filter(set -> newest.filter(set::equals).isEmpty())
                .toList();
        long revision = old.stream().mapToLong(DeploymentRevision::of).max().orElse(0) + 1;
        newest.ifPresent(set -> adopt(deployment, set, revision));
        if (newest.isPresent() && isResized(deployment, sets)) {
            resize(deployment, sets, newest);
        } else if (RolloutLimits.isRecreate(deployment)) {
            recreate(deployment, newest, old, revision);
        } else {
            update(deployment, newest, old, revision);
        }
        cleanUp(deployment, old);
    }

    /** Makes the set with the present template the newest revision; after a rollback it is an old set. */
    private void adopt(ObjectNode deployment, ObjectNode set, long revision) {
        api.modify(Resources.REPLICA_SETS, ObjectKey.of(set), "", copy -> {
            boolean resized = !DeploymentRevision.isSizedFor(set, ReplicaSetController.replicas(deployment));
            String sized = Meta.annotation(set, DeploymentRevision.DESIRED);
            DeploymentRevision.update(deployment, copy, revision);
            if (resized && !sized.isEmpty()) {
                // This annotation tells that the sets are yet to be sized.
                Meta.annotate(copy, DeploymentRevision.DESIRED, sized);
            }
            return copy;
        });
        noteRevision(deployment, Math.max(revision, DeploymentRevision.of(set)));
        if (ConditionList.find(deployment, "Progressing").isEmpty()) {
            String message = "Found new replica set \"" + Meta.name(set) + "\"";
            note(deployment, status -> status.progress("FoundNewReplicaSet", message));
        }
    }

    private void update(ObjectNode deployment, Optional<ObjectNode> newest, List<ObjectNode> old, long revision) {
        RolloutLimits limits = RolloutLimits.of(deployment);
        List<RolloutStep.Member> members = members(old);
        int present = newest.map(ReplicaSetController::replicas).orElse(0);
        int grown = RolloutStep.grown(limits, present, members);
        if (newest.isEmpty()) {
            create(deployment, grown, revision);
        } else if (grown > present) {
            scale(deployment, newest.get(), grown);
        } else if (present > limits.replicas()) {
            scale(deployment, newest.get(), limits.replicas());
        } else {
            RolloutStep.Member member = members(List.of(newest.get())).get(0);
            scaleAll(deployment, old, RolloutStep.shrunk(limits, member, members));
        }
    }

    private void recreate(ObjectNode deployment, Optional<ObjectNode> newest, List<ObjectNode> old, long revision) {
        if (old.stream().anyMatch(set -> ReplicaSetController.replicas(set) > 0)) {
            old.forEach(set -> scale(deployment, set, 0));
        } else if (!haveRunningPods(old)) {
            int replicas = ReplicaSetController.replicas(deployment);
            newest.ifPresentOrElse(
                    set -> scale(deployment, set, replicas), () -> create(deployment, replicas, revision));
        }
    }

    private boolean haveRunningPods(List<ObjectNode> sets) {
        return !sets.isEmpty()
                && api.list(Resources.PODS, Meta.namespace(sets.get(0))).objects().stream()
                        .filter(pod -> !PodState.isFinished(pod))
                        .anyMatch(pod -> sets.stream().anyMatch(set -> Owners.isControlledBy(pod, set)));
    }

    /** Whether the Deployment's replicas have changed since its sets were sized. */
    private static boolean isResized(JsonNode deployment, List<ObjectNode> sets) {
        return sets.stream()
                .anyMatch(set -> ReplicaSetController.replicas(set) > 0
                        && !DeploymentRevision.isSizedFor(set, ReplicaSetController.replicas(deployment)));
    }

    private void resize(ObjectNode deployment, List<ObjectNode> sets, Optional<ObjectNode> newest) {
        RolloutLimits limits = RolloutLimits.of(deployment);
        List<ObjectNode> active = sets.stream()
                .filter(set -> ReplicaSetController.replicas(set) > 0)
                .toList();
        if (active.size() > 1) {
            Map<String, Integer> sizes = RolloutStep.shared(limits.podsMax(), members(active));
            active.forEach(set ->
                    scale(deployment, set, sizes.getOrDefault(Meta.name(set), ReplicaSetController.replicas(set))));
            return;
        }
        Optional<ObjectNode> only = active.stream().findFirst().or(() -> newest);
        only.ifPresent(set -> scale(deployment, set, limits.replicas()));
    }

    private List<RolloutStep.Member> members(List<ObjectNode> sets) {
        if (sets.isEmpty()) {
            return List.of();
        }
        List<ObjectNode> pods =
                api.list(Resources.PODS, Meta.namespace(sets.get(0))).objects();
        return sets.stream().map(set -> member(set, pods)).toList();
    }

    private RolloutStep.Member member(ObjectNode set, Collection<ObjectNode> pods) {
        List<ObjectNode> own =
                pods.stream().filter(pod -> Owners.isControlledBy(pod, set)).toList();
        PodCounts counts = PodCounts.of(own, PodCounts.minReady(set), clock.instant());
        return new RolloutStep.Member(Meta.name(set), ReplicaSetController.replicas(set), counts.available());
    }

    private void create(ObjectNode deployment, int replicas, long revision) {
        ObjectNode set = DeploymentRevision.create(deployment, replicas, revision);
        String name = Meta.name(set);
        try {
            api.create(Resources.REPLICA_SETS, set);
        } catch (StatusException e) {
            if (e.reason().equals("AlreadyExists")) {
                avoid(deployment);
            }
            throw e;
        }
        if (replicas > 0) {
            events.normal(deployment, "ScalingReplicaSet", "Scaled up replica set " + name + " from 0 to " + replicas);
        }
        noteRevision(deployment, revision);
        note(deployment, status -> status.progress("NewReplicaSetCreated", "Created new replica set \"" + name + "\""));
    }

    /** Another template has the same hash, so the next try uses another hash. */
    private void avoid(ObjectNode deployment) {
        api.modify(Resources.DEPLOYMENTS, ObjectKey.of(deployment), "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status");
            status.put("collisionCount", status.path("collisionCount").asInt(0) + 1);
            return copy;
        });
    }

    private void scaleAll(ObjectNode deployment, List<ObjectNode> sets, Map<String, Integer> sizes) {
        for (ObjectNode set : sets) {
            if (sizes.containsKey(Meta.name(set))) {
                scale(deployment, set, sizes.getOrDefault(Meta.name(set), 0));
            }
        }
    }

    private void scale(ObjectNode deployment, ObjectNode set, int replicas) {
        int before = ReplicaSetController.replicas(set);
        api.modify(Resources.REPLICA_SETS, ObjectKey.of(set), "", copy -> {
            copy.withObjectProperty("spec").put("replicas", replicas);
            DeploymentRevision.annotateSize(copy, RolloutLimits.of(deployment));
            return copy;
        });
        if (before != replicas) {
            String message = "Scaled " + (before < replicas ? "up" : "down") + " replica set " + Meta.name(set)
                    + " from " + before + " to " + replicas;
            events.normal(deployment, "ScalingReplicaSet", message);
        }
    }

    /** Forgets the oldest revisions once the rollout is done. */
    private void cleanUp(JsonNode deployment, List<ObjectNode> old) {
        int limit = deployment.path("spec").path("revisionHistoryLimit").asInt(HISTORY_LIMIT);
        if (!DeploymentStatus.isComplete(deployment) || old.size() <= limit) {
            return;
        }
        old.subList(0, old.size() - limit).stream()
                .filter(set -> ReplicaSetController.replicas(set) == 0
                        && set.path("status").path("replicas").asInt(0) == 0
                        && !Meta.isTerminating(set))
                .forEach(set -> api.delete(Resources.REPLICA_SETS, ObjectKey.of(set), Deletion.DEFAULT));
    }

    private void noteRevision(ObjectNode deployment, long revision) {
        api.modify(Resources.DEPLOYMENTS, ObjectKey.of(deployment), "", copy -> {
            Meta.annotate(copy, DeploymentRevision.REVISION, String.valueOf(revision));
            return copy;
        });
    }

    private void note(ObjectNode deployment, Consumer<DeploymentStatus> change) {
        api.modify(Resources.DEPLOYMENTS, ObjectKey.of(deployment), "status", copy -> {
            change.accept(new DeploymentStatus(copy, clock.instant()));
            return copy;
        });
    }

    private void writeStatus(ObjectKey key, KeyQueue queue) {
        ObjectNode deployment = api.get(Resources.DEPLOYMENTS, key);
        List<ObjectNode> sets = claims.of(deployment);
        Optional<ObjectNode> newest = DeploymentRevision.find(deployment, sets);
        Instant now = clock.instant();
        ObjectNode after = api.modify(Resources.DEPLOYMENTS, key, "status", copy -> {
            new DeploymentStatus(copy, now).update(sets, newest);
            return copy;
        });
        new DeploymentStatus(after.deepCopy(), now)
                .deadline()
                .filter(late -> !late.isBefore(now))
                .ifPresent(
                        late -> queue.addAfter(key, Duration.between(now, late).plusMillis(1)));
    }

    private static List<ObjectNode> byRevision(List<ObjectNode> sets) {
        return sets.stream()
                .sorted(Comparator.<ObjectNode>comparingLong(DeploymentRevision::of)
                        .thenComparing(Meta::created)
                        .thenComparing(Meta::name))
                .toList();
    }
}
