package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Keeps one Pod of each DaemonSet on each Node that it matches. */
public final class DaemonSetController implements Controller {
    private static final ObjectKey ALL = new ObjectKey("", "");

    private final ClusterApi api;
    private final InstantSource clock;
    private final PodFactory factory;
    private final PodClaims claims;
    private final Revisions revisions;

    public DaemonSetController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.factory = new PodFactory(api, new EventRecorder(api, clock, "daemonset-controller", ""));
        this.claims = new PodClaims(api, Resources.PODS);
        this.revisions = new Revisions(api);
    }

    @Override
    public String name() {
        return "daemonset";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                Trigger.each(Resources.DAEMON_SETS),
                PodClaims.trigger(Resources.PODS, Resources.DAEMON_SETS),
                new Trigger(Resources.NODES, event -> isSeen(event) ? List.of(ALL) : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.name().isEmpty()) {
            api.list(Resources.DAEMON_SETS, key.namespace()).objects().forEach(each -> queue.add(ObjectKey.of(each)));
            return;
        }
        Optional<ObjectNode> set = api.find(Resources.DAEMON_SETS, key);
        if (set.isPresent() && !Meta.isTerminating(set.get())) {
            keep(set.get(), queue);
        }
    }

    /** Whether a Node's change may have an effect; a heartbeat has none. */
    private static boolean isSeen(ChangeEvent event) {
        return event.type() != ChangeEvent.Type.MODIFIED
                || event.before()
                        .filter(before ->
                                before.path("spec").equals(event.object().path("spec"))
                                        && Meta.labels(before).equals(Meta.labels(event.object()))
                                        && ConditionList.status(before, "Ready")
                                                .equals(ConditionList.status(event.object(), "Ready")))
                        .isEmpty();
    }

    private void keep(ObjectNode set, KeyQueue queue) {
        ObjectNode revision = revisions.current(set);
        Instant now = clock.instant();
        List<ObjectNode> nodes = api.list(Resources.NODES, "").objects();
        DaemonStep step = DaemonStep.of(set, nodes, claims.of(set), Revisions.hash(revision), now);
        step.created().forEach(node -> factory.create(set, DaemonPods.create(set, revision, node)));
        step.deleted().forEach(pod -> factory.delete(set, pod));

        List<ObjectNode> pods = claims.of(set);
        writeStatus(set, nodes, pods, Revisions.hash(revision), now);
        PodCounts.of(pods, PodCounts.minReady(set), now)
                .nextAvailable()
                .ifPresent(at -> queue.addAfter(ObjectKey.of(set), Duration.between(now, at)));
        Set<String> used = new HashSet<>(Set.of(Meta.name(revision)));
        pods.forEach(pod -> used.add(
                Meta.name(set) + "-" + Meta.labels(pod).path(Revisions.LABEL).asText("")));
        revisions.cleanUp(set, used);
    }

    private void writeStatus(
            ObjectNode set, Collection<ObjectNode> nodes, Collection<ObjectNode> pods, String hash, Instant now) {
        Set<String> wanted = nodes.stream()
                .filter(node -> DaemonPods.belongs(set, node) || hasPodThatStays(set, node, pods))
                .map(Meta::name)
                .collect(Collectors.toSet());
        Duration minReady = PodCounts.minReady(set);
        int scheduled = nodesWith(pods, wanted, pod -> true);
        int available = nodesWith(pods, wanted, pod -> PodState.isAvailable(pod, minReady, now));
        Set<String> misplaced = pods.stream()
                .map(DaemonPods::node)
                .filter(node -> !wanted.contains(node))
                .collect(Collectors.toSet());
        api.modify(Resources.DAEMON_SETS, ObjectKey.of(set), "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status");
            status.put("observedGeneration", Meta.generation(set));
            status.put("desiredNumberScheduled", wanted.size());
            status.put("currentNumberScheduled", scheduled);
            status.put("numberMisscheduled", misplaced.size());
            status.put("numberReady", nodesWith(pods, wanted, PodState::isReady));
            PodCounts.put(
                    status,
                    "updatedNumberScheduled",
                    nodesWith(
                            pods,
                            wanted,
                            pod -> Meta.labels(pod)
                                    .path(Revisions.LABEL)
                                    .asText("")
                                    .equals(hash)));
            PodCounts.put(status, "numberAvailable", available);
            PodCounts.put(status, "numberUnavailable", wanted.size() - available);
            return copy;
        });
    }

    private static boolean hasPodThatStays(JsonNode set, JsonNode node, Collection<ObjectNode> pods) {
        return DaemonPods.stays(set, node)
                && pods.stream().anyMatch(pod -> DaemonPods.node(pod).equals(Meta.name(node)));
    }

    private static int nodesWith(Collection<ObjectNode> pods, Set<String> nodes, Predicate<JsonNode> condition) {
        return (int) pods.stream()
                .filter(pod -> PodState.isActive(pod) && condition.test(pod))
                .map(DaemonPods::node)
                .filter(nodes::contains)
                .distinct()
                .count();
    }
}
