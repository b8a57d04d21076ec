package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the Leases that kubelets renew. A Node with an expired Lease becomes Unknown and gets taints. Its Pods
 * become unready, and after a time they are evicted. When the Lease is renewed, the Node is ready again, and so are
 * its Pods with ready containers. This controller's own clock measures the age of a Lease, from the time it sees the
 * change.
 */
public final class NodeLifecycle implements Controller {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLifecycle.class);
    private static final String LEASES = "kube-node-lease";
    private static final String UNKNOWN = "NodeStatusUnknown";
    private static final String NOT_READY = "NodeNotReady";

    private record Sign(String renewTime, Instant seen) {}

    private final ClusterApi api;
    private final InstantSource clock;
    private final Duration leaseLifetime;
    private final Duration evictAfter;
    private final EventRecorder events;
    private final EventRecorder evictions;
    private final Map<String, Sign> signs = new HashMap<>();

    /**
     * A controller.
     *
     * @param leaseLifetime after the last renewal; kube-controller-manager's {@code --node-monitor-grace-period}
     * @param evictAfter for a Pod without a toleration of its own
     */
    public NodeLifecycle(ClusterApi api, InstantSource clock, Duration leaseLifetime, Duration evictAfter) {
        this.api = api;
        this.clock = clock;
        this.leaseLifetime = leaseLifetime;
        this.evictAfter = evictAfter;
        this.events = new EventRecorder(api, clock, "node-controller", "");
        this.evictions = new EventRecorder(api, clock, "taint-eviction-controller", "");
    }

    @Override
    public String name() {
        return "node-lifecycle";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                Trigger.each(Resources.NODES),
                new Trigger(
                        Resources.LEASES,
                        event -> event.key().namespace().equals(LEASES)
                                ? List.of(new ObjectKey("", event.key().name()))
                                : List.of()),
                new Trigger(
                        Resources.PODS,
                        event -> hasMoved(event)
                                ? List.of(new ObjectKey("", PodState.node(event.object())))
                                : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        Optional<ObjectNode> node = api.find(Resources.NODES, key);
        if (node.isEmpty()) {
            signs.remove(key.name());
            return;
        }
        Instant now = clock.instant();
        Instant expiry = lastSign(key.name(), now).plus(leaseLifetime);
        if (expiry.isAfter(now)) {
            queue.addAfter(key, Duration.between(now, expiry));
            revive(node.get(), now);
        } else {
            giveUp(node.get(), now);
        }
        ObjectNode tainted = api.modify(Resources.NODES, key, "", copy -> {
            NodeTaints.set(copy, now);
            return copy;
        });
        settlePods(tainted, now, queue);
    }

    /** Whether a Pod has come to a Node or become ready there: the Node may be unreachable. */
    private static boolean hasMoved(ChangeEvent event) {
        return event.type() != ChangeEvent.Type.DELETED
                && !PodState.node(event.object()).isEmpty()
                && event.before()
                        .filter(before -> PodState.node(before).equals(PodState.node(event.object()))
                                && PodState.isReady(before) == PodState.isReady(event.object()))
                        .isEmpty();
    }

    /** The last sign of the kubelet; a Node without a Lease counts from the time this controller first saw it. */
    private Instant lastSign(String node, Instant now) {
        String renewTime = api.find(Resources.LEASES, new ObjectKey(LEASES, node))
                .map(lease -> lease.path("spec").path("renewTime").asText(""))
                .orElse("");
        @Nullable Sign last = signs.get(node);
        if (last == null || !last.renewTime().equals(renewTime)) {
            last = new Sign(renewTime, now);
            signs.put(node, last);
        }
        return last.seen();
    }

    private void giveUp(ObjectNode node, Instant now) {
        if (ConditionList.status(node, "Ready").equals("Unknown")) {
            return;
        }
        LOG.atWarn().addKeyValue("node", Meta.name(node)).log("node.unknown");
        events.normal(node, NOT_READY, "Node " + Meta.name(node) + " status is now: NodeNotReady");
        api.modify(Resources.NODES, ObjectKey.of(node), "status", copy -> {
            ConditionList.set(copy, "Ready", "Unknown", UNKNOWN, "Kubelet stopped posting node status.", now);
            return copy;
        });
    }

    /** Undoes {@link #giveUp}; a Node whose own report says that it is not ready stays unready. */
    private void revive(ObjectNode node, Instant now) {
        boolean givenUp = ConditionList.find(node, "Ready")
                .filter(each -> each.path("status").asText("").equals("Unknown")
                        && each.path("reason").asText("").equals(UNKNOWN))
                .isPresent();
        if (givenUp) {
            LOG.atInfo().addKeyValue("node", Meta.name(node)).log("node.revived");
            api.modify(Resources.NODES, ObjectKey.of(node), "status", copy -> {
                ConditionList.set(copy, "Ready", "True", "KubeletReady", "kubelet is posting ready status", now);
                return copy;
            });
        }
    }

    private void settlePods(ObjectNode node, Instant now, KeyQueue queue) {
        boolean ready = ConditionList.isTrue(node, "Ready");
        for (ObjectNode pod : api.list(Resources.PODS, "").objects()) {
            if (!PodState.node(pod).equals(Meta.name(node)) || PodState.isFinished(pod)) {
                continue;
            }
            if (ready) {
                restore(pod, now);
            } else if (PodState.isReady(pod)) {
                setReady(pod, "False", NOT_READY, now);
                events.warning(pod, NOT_READY, "Node is not ready");
            }
            evict(pod, node, now, queue);
        }
    }

    private void restore(ObjectNode pod, Instant now) {
        boolean taken = ConditionList.find(pod, "Ready")
                .filter(each -> each.path("reason").asText("").equals(NOT_READY))
                .isPresent();
        if (taken && ConditionList.isTrue(pod, "ContainersReady")) {
            setReady(pod, "True", "", now);
        }
    }

    private void setReady(ObjectNode pod, String status, String reason, Instant now) {
        api.modify(Resources.PODS, ObjectKey.of(pod), "status", copy -> {
            ConditionList.set(copy, "Ready", status, reason, "", now);
            return copy;
        });
    }

    private void evict(JsonNode pod, ObjectNode node, Instant now, KeyQueue queue) {
        Optional<Instant> due = Evictions.due(pod, node, evictAfter);
        if (due.isEmpty() || Meta.isTerminating(pod)) {
            return;
        }
        if (due.get().isAfter(now)) {
            queue.addAfter(ObjectKey.of(node), Duration.between(now, due.get()));
            return;
        }
        api.modify(Resources.PODS, ObjectKey.of(pod), "status", copy -> {
            ConditionList.set(
                    copy,
                    "DisruptionTarget",
                    "True",
                    "DeletionByTaintManager",
                    "Taint manager: deleting due to NoExecute taint",
                    now);
            return copy;
        });
        evictions.normal(pod, "TaintManagerEviction", "Marking for deletion Pod " + ObjectKey.of(pod));
        api.delete(Resources.PODS, ObjectKey.of(pod), Deletion.DEFAULT);
    }
}
