package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
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
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;

/** Keeps the Pods of StatefulSets: their names stay, and they are created, deleted and updated in order. */
public final class StatefulSetController implements Controller {
    private static final Duration CLAIMS_LEAVE = Duration.ofSeconds(1);

    private final ClusterApi api;
    private final InstantSource clock;
    private final EventRecorder events;
    private final PodFactory factory;
    private final PodClaims claims;
    private final Revisions revisions;
    private final ClaimRetention retention;

    public StatefulSetController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, clock, "statefulset-controller", "");
        this.factory = new PodFactory(api, events);
        this.claims = new PodClaims(api, Resources.PODS, StatefulPods::isMember);
        this.revisions = new Revisions(api);
        this.retention = new ClaimRetention(api);
    }

    @Override
    public String name() {
        return "statefulset";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                Trigger.each(Resources.STATEFUL_SETS), PodClaims.trigger(Resources.PODS, Resources.STATEFUL_SETS));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.name().isEmpty()) {
            api.list(Resources.STATEFUL_SETS, key.namespace()).objects().forEach(each -> queue.add(ObjectKey.of(each)));
            return;
        }
        Optional<ObjectNode> set = api.find(Resources.STATEFUL_SETS, key);
        if (set.isPresent() && !Meta.isTerminating(set.get())) {
            keep(set.get(), queue);
        }
    }

    private void keep(ObjectNode set, KeyQueue queue) {
        ObjectNode update = revisions.current(set);
        ObjectNode current = current(set, update);
        Instant now = clock.instant();
        NavigableMap<Integer, ObjectNode> pods = StatefulPods.byOrdinal(set, claims.of(set));
        retention.keep(set, pods);
        StatefulStep step = StatefulStep.of(set, pods, Meta.name(update), now);
        for (int ordinal : step.created()) {
            boolean old = ordinal < StatefulStep.partition(set);
            if (!makeClaims(set, ordinal)) {
                queue.addAfter(ObjectKey.of(set), CLAIMS_LEAVE);
                break;
            }
            factory.create(set, StatefulPods.create(set, old ? current : update, ordinal));
        }
        step.deleted().forEach(pod -> factory.delete(set, pod));

        List<ObjectNode> after = claims.of(set);
        PodCounts counts = PodCounts.of(after, PodCounts.minReady(set), now);
        writeStatus(set, after, counts, Meta.name(current), Meta.name(update));
        counts.nextAvailable().ifPresent(at -> queue.addAfter(ObjectKey.of(set), Duration.between(now, at)));
        Set<String> used = new HashSet<>(List.of(Meta.name(current), Meta.name(update)));
        after.forEach(pod -> used.add(StatefulPods.revision(pod)));
        revisions.cleanUp(set, used);
    }

    /**
     * Makes the missing claims of a Pod; claims of an earlier Pod are used again.
     *
     * @return whether all claims are there to stay: a claim that is being deleted has to go first
     */
    private boolean makeClaims(ObjectNode set, int ordinal) {
        String pod = Meta.name(set) + "-" + ordinal;
        for (ObjectNode claim : StatefulPods.claims(set, ordinal)) {
            Optional<ObjectNode> present = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim));
            if (present.filter(each -> ClaimRetention.goes(each, pod)).isPresent()) {
                return false;
            }
            if (present.isEmpty()) {
                api.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
                events.normal(
                        set,
                        "SuccessfulCreate",
                        "create Claim " + Meta.name(claim) + " Pod " + pod + " in StatefulSet " + Meta.name(set)
                                + " success");
            }
        }
        return true;
    }

    /** The revision before the present rollout; without a rollout the newest one. */
    private ObjectNode current(JsonNode set, ObjectNode update) {
        String name = set.path("status").path("currentRevision").asText("");
        return api.find(Resources.CONTROLLER_REVISIONS, new ObjectKey(Meta.namespace(set), name))
                .orElse(update);
    }

    private void writeStatus(
            ObjectNode set, Collection<ObjectNode> pods, PodCounts counts, String current, String update) {
        int replicas = ReplicaSetController.replicas(set);
        int updated = count(pods, update);
        boolean done = updated == replicas && counts.active() == replicas && counts.available() == replicas;
        String reached = done ? update : current;
        api.modify(Resources.STATEFUL_SETS, ObjectKey.of(set), "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status");
            status.put("observedGeneration", Meta.generation(set));
            status.put("replicas", (int)
                    pods.stream().filter(pod -> !PodState.isFinished(pod)).count());
            PodCounts.put(status, "readyReplicas", counts.ready());
            status.put("availableReplicas", counts.available());
            PodCounts.put(status, "currentReplicas", count(pods, reached));
            PodCounts.put(status, "updatedReplicas", updated);
            status.put("currentRevision", reached);
            status.put("updateRevision", update);
            status.put("collisionCount", 0);
            return copy;
        });
    }

    private static int count(Collection<ObjectNode> pods, String revision) {
        return (int) pods.stream()
                .filter(pod ->
                        PodState.isActive(pod) && StatefulPods.revision(pod).equals(revision))
                .count();
    }
}
