package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the Services that select a Pod, at a cost that follows the Pod's labels, not the number of Services. Only
 * listeners use it, and the store calls them one at a time.
 */
final class ServiceIndex {
    private record Label(String namespace, String key, String value) {}

    private record Entry(Label label, JsonNode selector) {}

    private final Map<ObjectKey, Entry> services = new HashMap<>();
    private final Map<Label, Set<ObjectKey>> byLabel = new HashMap<>();

    /** Follows Services, and notes the time of each change. */
    Trigger followServices(TriggerTimes times) {
        return new Trigger(Resources.SERVICES, event -> {
            update(event);
            times.note(event.key());
            return List.of(event.key());
        });
    }

    /** The Services whose endpoints a change of a Pod changes; notes the change in their times. */
    Trigger followPods(TriggerTimes times) {
        return new Trigger(Resources.PODS, event -> {
            Collection<ObjectKey> found = affected(event);
            found.forEach(times::note);
            return found;
        });
    }

    private void update(ChangeEvent event) {
        ObjectKey key = event.key();
        @Nullable Entry before = services.remove(key);
        if (before != null) {
            remove(before.label(), key);
        }
        JsonNode selector = event.object().path("spec").path("selector");
        if (event.type() != ChangeEvent.Type.DELETED && ServiceShape.selects(event.object())) {
            Map.Entry<String, JsonNode> first = selector.properties().iterator().next();
            Label label =
                    new Label(key.namespace(), first.getKey(), first.getValue().asText());
            services.put(key, new Entry(label, selector));
            byLabel.computeIfAbsent(label, each -> new LinkedHashSet<>()).add(key);
        }
    }

    private Collection<ObjectKey> affected(ChangeEvent event) {
        boolean same = event.type() == ChangeEvent.Type.MODIFIED
                && event.before()
                        .filter(before -> PodEndpoint.Facts.of(before).equals(PodEndpoint.Facts.of(event.object())))
                        .isPresent();
        if (same) {
            return List.of();
        }
        Set<ObjectKey> found = new LinkedHashSet<>(selecting(event.object()));
        event.before().ifPresent(before -> found.addAll(selecting(before)));
        return found;
    }

    private void remove(Label label, ObjectKey key) {
        Set<ObjectKey> sameLabel = byLabel.getOrDefault(label, Set.of());
        if (sameLabel.size() > 1) {
            sameLabel.remove(key);
        } else {
            byLabel.remove(label);
        }
    }

    private List<ObjectKey> selecting(JsonNode pod) {
        List<ObjectKey> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> each : Meta.labels(pod).properties()) {
            Label label = new Label(
                    Meta.namespace(pod), each.getKey(), each.getValue().asText());
            for (ObjectKey key : byLabel.getOrDefault(label, Set.of())) {
                @Nullable Entry service = services.get(key);
                if (service != null && SelectorMatch.matchesMap(service.selector(), Meta.labels(pod))) {
                    found.add(key);
                }
            }
        }
        return found;
    }
}
