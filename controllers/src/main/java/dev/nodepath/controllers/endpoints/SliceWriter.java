package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;

/** Reads and writes the slices that one controller manages. */
final class SliceWriter {
    private final ClusterApi api;
    private final String manager;
    private final Map<ObjectKey, Set<ObjectKey>> byService = new ConcurrentHashMap<>();

    SliceWriter(ClusterApi api, String manager) {
        this.api = api;
        this.manager = manager;
    }

    /** Changes of these slices as a trigger of their Services. Without it {@link #of} finds nothing. */
    Trigger trigger() {
        return new Trigger(Resources.ENDPOINT_SLICES, this::note);
    }

    List<ObjectNode> of(ObjectKey service) {
        return byService.getOrDefault(service, Set.of()).stream()
                .flatMap(key -> api.find(Resources.ENDPOINT_SLICES, key).stream())
                .filter(slice -> !Meta.isTerminating(slice))
                .toList();
    }

    /**
     * Carries out a plan.
     *
     * @param trigger the time when the endpoints changed
     */
    void apply(SlicePlan plan, ObjectKey service, String trigger) {
        for (ObjectNode slice : plan.created()) {
            slice.withObjectProperty("metadata").put("generateName", service.name() + "-");
            Meta.annotate(slice, TriggerTimes.ANNOTATION, trigger);
            api.create(Resources.ENDPOINT_SLICES, slice);
        }
        for (ObjectNode slice : plan.updated()) {
            Meta.annotate(slice, TriggerTimes.ANNOTATION, trigger);
            api.update(Resources.ENDPOINT_SLICES, slice);
        }
        plan.deleted().forEach(this::delete);
    }

    void delete(ObjectNode slice) {
        api.delete(Resources.ENDPOINT_SLICES, ObjectKey.of(slice), Deletion.DEFAULT);
    }

    private Collection<ObjectKey> note(ChangeEvent event) {
        Set<ObjectKey> services = new HashSet<>();
        event.before().filter(this::isOurs).ifPresent(slice -> {
            services.add(serviceOf(slice));
            unlist(serviceOf(slice), event.key());
        });
        if (event.type() != ChangeEvent.Type.DELETED && isOurs(event.object())) {
            services.add(serviceOf(event.object()));
            byService
                    .computeIfAbsent(serviceOf(event.object()), each -> new ConcurrentSkipListSet<>())
                    .add(event.key());
        }
        return services;
    }

    private void unlist(ObjectKey service, ObjectKey slice) {
        byService.computeIfPresent(service, (each, slices) -> {
            slices.remove(slice);
            return slices.isEmpty() ? null : slices;
        });
    }

    private boolean isOurs(JsonNode slice) {
        return Meta.labels(slice)
                .path(EndpointSliceBuilder.MANAGED_BY)
                .asText("")
                .equals(manager);
    }

    private static ObjectKey serviceOf(JsonNode slice) {
        return new ObjectKey(
                Meta.namespace(slice),
                Meta.labels(slice).path(EndpointSliceBuilder.SERVICE_NAME).asText(""));
    }
}
