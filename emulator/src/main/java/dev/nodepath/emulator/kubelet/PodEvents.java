package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Writes Events about a node's Pods. An Event that comes again is counted, not repeated. */
final class PodEvents {
    private final ClusterApi api;
    private final String node;
    private final InstantSource clock;

    PodEvents(ClusterApi api, String node, InstantSource clock) {
        this.api = api;
        this.node = node;
        this.clock = clock;
    }

    /** Writes an Event about a step that goes as planned. */
    void normal(ObjectNode pod, String reason, String message) {
        record(pod, "Normal", reason, message);
    }

    /** Writes an Event about a problem. */
    void warning(ObjectNode pod, String reason, String message) {
        record(pod, "Warning", reason, message);
    }

    private void record(ObjectNode pod, String type, String reason, String message) {
        ObjectKey of = ObjectKey.of(pod);
        String uid = pod.path("metadata").path("uid").asText();
        String name = of.name() + "." + String.format(Locale.ROOT, "%016x", (uid + type + reason + message).hashCode());
        ObjectKey key = new ObjectKey(of.namespace(), name);
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        try {
            if (api.find(Resources.EVENTS, key).isPresent()) {
                api.modify(
                        Resources.EVENTS,
                        key,
                        "",
                        event -> event.put("count", event.path("count").asInt(1) + 1)
                                .put("lastTimestamp", now));
            } else {
                api.create(Resources.EVENTS, event(pod, key, type, reason, message, now));
            }
        } catch (StatusException e) {
            // The namespace ends, or the Event has just been removed: a lost Event does no harm.
            return;
        }
    }

    private ObjectNode event(ObjectNode pod, ObjectKey key, String type, String reason, String message, String now) {
        ObjectNode event = pod.objectNode();
        event.putObject("metadata").put("name", key.name()).put("namespace", key.namespace());
        event.putObject("involvedObject")
                .put("kind", "Pod")
                .put("apiVersion", "v1")
                .put("namespace", key.namespace())
                .put("name", ObjectKey.of(pod).name())
                .put("uid", pod.path("metadata").path("uid").asText())
                .put(
                        "resourceVersion",
                        pod.path("metadata").path("resourceVersion").asText());
        event.put("type", type)
                .put("reason", reason)
                .put("message", message)
                .put("count", 1)
                .put("firstTimestamp", now)
                .put("lastTimestamp", now)
                .put("reportingComponent", "kubelet")
                .put("reportingInstance", node);
        event.putObject("source").put("component", "kubelet").put("host", node);
        return event;
    }
}
