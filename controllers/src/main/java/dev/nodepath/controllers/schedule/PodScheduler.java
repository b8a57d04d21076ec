package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
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
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Binds Pods without a Node. All waiting Pods are placed in one step, the oldest first; its cost grows with the number
 * of Pods in the cluster. It runs when a Pod without a Node appears, when a Pod leaves or when a Node changes.
 */
public final class PodScheduler implements Controller {
    private static final ObjectKey WAITING = new ObjectKey("", "");

    private final ClusterApi api;
    private final InstantSource clock;
    private final EventRecorder events;
    private final ClaimFilter claims;

    public PodScheduler(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, clock, "default-scheduler", "");
        this.claims = new ClaimFilter(api);
    }

    @Override
    public String name() {
        return "scheduler";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                new Trigger(Resources.PODS, event -> concerns(event) ? List.of(WAITING) : List.of()),
                Trigger.any(Resources.PERSISTENT_VOLUME_CLAIMS, WAITING),
                new Trigger(Resources.NODES, event -> concernsNode(event) ? List.of(WAITING) : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        List<ObjectNode> pods = api.list(Resources.PODS, "").objects();
        List<ObjectNode> waiting = pods.stream()
                .filter(PodScheduler::isWaiting)
                .sorted(Comparator.comparing(Meta::created))
                .toList();
        if (waiting.isEmpty()) {
            return;
        }
        List<ObjectNode> nodes = api.list(Resources.NODES, "").objects();
        NodeLoads loads = new NodeLoads(pods);
        Optional<StatusException> failure = Optional.empty();
        for (ObjectNode pod : waiting) {
            try {
                Optional<String> refusal = claims.refusal(pod);
                place(
                        pod,
                        refusal.isPresent()
                                ? Placement.nowhere(nodes.size(), refusal.get())
                                : Placement.of(pod, nodes, loads));
            } catch (StatusException e) {
                failure = Optional.of(e); // the Pod has gone or changed; the others are placed all the same
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    /** Leases and heartbeats change a Node often, without an effect on Pods. */
    private static boolean concernsNode(ChangeEvent event) {
        return event.before().isEmpty()
                || !event.object().path("spec").equals(event.before().get().path("spec"))
                || !Meta.labels(event.object())
                        .equals(Meta.labels(event.before().get()))
                || !ConditionList.status(event.object(), "Ready")
                        .equals(ConditionList.status(event.before().get(), "Ready"));
    }

    private static boolean concerns(ChangeEvent event) {
        return switch (event.type()) {
            case ADDED -> isWaiting(event.object());
            case DELETED -> !PodState.node(event.object()).isEmpty();
            case MODIFIED ->
                event.before()
                        .filter(before -> !Meta.labels(before).equals(Meta.labels(event.object()))
                                || (!before.path("spec").equals(event.object().path("spec"))
                                        && isWaiting(event.object()))
                                || PodState.isFinished(before) != PodState.isFinished(event.object()))
                        .isPresent();
        };
    }

    private static boolean isWaiting(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        return PodState.node(pod).isEmpty()
                && PodState.isActive(pod)
                && spec.path("schedulingGates").isEmpty()
                && spec.path("schedulerName").asText("default-scheduler").equals("default-scheduler");
    }

    private void place(JsonNode pod, Placement placement) {
        ObjectKey key = ObjectKey.of(pod);
        if (placement.node().isEmpty()) {
            fail(pod, key, placement.message());
            return;
        }
        ObjectNode bound = api.modify(Resources.PODS, key, "binding", each -> {
            each.withObjectProperty("spec").put("nodeName", placement.node());
            return each;
        });
        api.modify(Resources.PODS, key, "status", each -> {
            ConditionList.set(each, "PodScheduled", "True", "", "", clock.instant());
            return each;
        });
        events.normal(bound, "Scheduled", "Successfully assigned " + key + " to " + placement.node());
    }

    /** A repeated reason is told once. */
    private void fail(JsonNode pod, ObjectKey key, String message) {
        String told = ConditionList.find(pod, "PodScheduled")
                .map(each -> each.path("message").asText(""))
                .orElse("");
        if (told.equals(message)) {
            return;
        }
        api.modify(Resources.PODS, key, "status", each -> {
            ConditionList.set(each, "PodScheduled", "False", "Unschedulable", message, clock.instant());
            return each;
        });
        events.warning(pod, "FailedScheduling", message);
    }
}
