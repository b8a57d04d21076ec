package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Deletes Events some time after their last occurrence. */
public final class EventTtlController implements Controller {
    private final ClusterApi api;
    private final InstantSource clock;
    private final Duration lifetime;

    public EventTtlController(ClusterApi api, InstantSource clock, Duration lifetime) {
        this.api = api;
        this.clock = clock;
        this.lifetime = lifetime;
    }

    @Override
    public String name() {
        return "old-events";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(new Trigger(
                Resources.EVENTS, event -> event.type() == ChangeEvent.Type.ADDED ? List.of(event.key()) : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        Optional<ObjectNode> event = api.find(Resources.EVENTS, key);
        if (event.isEmpty()) {
            return;
        }
        Duration left = Duration.between(clock.instant(), last(event.get()).plus(lifetime));
        if (left.isNegative() || left.isZero()) {
            api.delete(Resources.EVENTS, key, Deletion.DEFAULT);
        } else {
            queue.addAfter(key, left);
        }
    }

    /** Events of the newer form have times of their own. */
    private static Instant last(JsonNode event) {
        return Meta.time(event.path("lastTimestamp"))
                .or(() -> Meta.time(event.path("series").path("lastObservedTime")))
                .or(() -> Meta.time(event.path("eventTime")))
                .orElse(Meta.created(event));
    }
}
