package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes Pods bound to absent Nodes, because no kubelet will end them. It waits first, as the Node may come soon. The
 * name of a key is the name of a Node.
 */
public final class PodGcController implements Controller {
    private static final Logger LOG = LoggerFactory.getLogger(PodGcController.class);

    private final ClusterApi api;
    private final InstantSource clock;
    private final Duration patience;
    private final Map<String, Instant> missing = new HashMap<>();

    public PodGcController(ClusterApi api, InstantSource clock, Duration patience) {
        this.api = api;
        this.clock = clock;
        this.patience = patience;
    }

    @Override
    public String name() {
        return "lost-pods";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                Trigger.each(Resources.NODES),
                new Trigger(
                        Resources.PODS,
                        event -> isBound(event)
                                ? List.of(new ObjectKey("", PodState.node(event.object())))
                                : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        String node = key.name();
        if (api.find(Resources.NODES, key).isPresent()) {
            missing.remove(node);
            return;
        }
        List<ObjectNode> pods = api.list(Resources.PODS, "").objects().stream()
                .filter(pod -> PodState.node(pod).equals(node))
                .toList();
        if (pods.isEmpty()) {
            missing.remove(node);
            return;
        }
        Duration since = Duration.between(missing.computeIfAbsent(node, each -> clock.instant()), clock.instant());
        if (since.compareTo(patience) < 0) {
            queue.addAfter(key, patience.minus(since));
            return;
        }
        LOG.atInfo().addKeyValue("node", node).addKeyValue("pods", pods.size()).log("pods.lost");
        pods.forEach(this::end);
    }

    /** The status tells the reason, because a Job may ignore such a failure. */
    private void end(ObjectNode pod) {
        ObjectKey key = ObjectKey.of(pod);
        api.modify(Resources.PODS, key, "status", copy -> {
            if (!PodState.isFinished(copy)) {
                ConditionList.set(
                        copy,
                        "DisruptionTarget",
                        "True",
                        "DeletionByPodGC",
                        "PodGC: node no longer exists",
                        clock.instant());
                copy.withObjectProperty("status").put("phase", "Failed");
            }
            return copy;
        });
        api.delete(Resources.PODS, key, Deletion.NOW);
    }

    private static boolean isBound(ChangeEvent event) {
        return event.type() != ChangeEvent.Type.DELETED
                && !PodState.node(event.object()).isEmpty()
                && event.before()
                        .filter(before -> !PodState.node(before).isEmpty())
                        .isEmpty();
    }
}
