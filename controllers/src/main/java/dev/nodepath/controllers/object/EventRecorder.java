package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes Events about objects. A repeated Event is counted up instead. A failed write is ignored, for example in a
 * namespace that is being deleted. Thread-safe.
 */
public final class EventRecorder {
    private static final int REMEMBERED_MAX = 4096;

    /** Shared by all recorders: two may write about one object at the same time, and names must differ. */
    private static final AtomicLong LAST_NANOS = new AtomicLong();

    private record Subject(String uid, String type, String reason, String message) {}

    private final ClusterApi api;
    private final InstantSource clock;
    private final String component;
    private final String host;
    private final Map<Subject, ObjectKey> recent = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Subject, ObjectKey> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    /**
     * A recorder of one component.
     *
     * @param component such as {@code deployment-controller}
     * @param host the Node that it runs on; empty for none
     */
    public EventRecorder(ClusterApi api, InstantSource clock, String component, String host) {
        this.api = api;
        this.clock = clock;
        this.component = component;
        this.host = host;
    }

    /** Writes an Event of type Normal. */
    public void normal(JsonNode object, String reason, String message) {
        record(object, "Normal", reason, message);
    }

    /** Writes an Event of type Warning. */
    public void warning(JsonNode object, String reason, String message) {
        record(object, "Warning", reason, message);
    }

    private synchronized void record(JsonNode object, String type, String reason, String message) {
        Subject subject = new Subject(Meta.uid(object), type, reason, message);
        Instant now = clock.instant();
        @Nullable ObjectKey before = recent.get(subject);
        try {
            if (before == null || !countUp(before, now)) {
                recent.put(subject, ObjectKey.of(api.create(Resources.EVENTS, event(object, subject, now))));
            }
        } catch (StatusException e) {
            recent.remove(subject);
        }
    }

    private boolean countUp(ObjectKey key, Instant now) {
        if (api.find(Resources.EVENTS, key).isEmpty()) {
            return false;
        }
        api.modify(
                Resources.EVENTS,
                key,
                "",
                event -> event.put("count", event.path("count").asInt(1) + 1).put("lastTimestamp", Meta.seconds(now)));
        return true;
    }

    private ObjectNode event(JsonNode object, Subject subject, Instant now) {
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        // Events of objects without namespace are in default.
        String namespace = Meta.namespace(object).isEmpty() ? "default" : Meta.namespace(object);
        event.putObject("metadata")
                .put("name", Meta.name(object) + "." + Long.toHexString(nanos(now)))
                .put("namespace", namespace);
        event.putObject("involvedObject")
                .put("kind", object.path("kind").asText())
                .put("namespace", Meta.namespace(object))
                .put("name", Meta.name(object))
                .put("uid", subject.uid())
                .put("apiVersion", object.path("apiVersion").asText())
                .put(
                        "resourceVersion",
                        object.path("metadata").path("resourceVersion").asText());
        event.put("reason", subject.reason()).put("message", subject.message());
        ObjectNode source = event.putObject("source").put("component", component);
        if (!host.isEmpty()) {
            source.put("host", host);
        }
        return event.put("firstTimestamp", Meta.seconds(now))
                .put("lastTimestamp", Meta.seconds(now))
                .put("count", 1)
                .put("type", subject.type())
                .put("reportingComponent", component)
                .put("reportingInstance", host);
    }

    /** A unique time for the name of an Event. */
    private static long nanos(Instant now) {
        long nanos = now.getEpochSecond() * 1_000_000_000 + now.getNano();
        return LAST_NANOS.updateAndGet(last -> Math.max(last + 1, nanos));
    }
}
