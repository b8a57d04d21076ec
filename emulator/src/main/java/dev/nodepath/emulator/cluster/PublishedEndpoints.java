package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.endpoints.source.ServiceLabels;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the EndpointSlices of the API: which Pods they list, and from which change they are. */
final class PublishedEndpoints {
    private static final String TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time";
    private static final String SERVICE = "kubernetes.io/service-name";

    private final ClusterApi api;

    PublishedEndpoints(ClusterApi api) {
        this.api = api;
    }

    /**
     * The newest trigger time of all slices that change a proxy's rules: its log names changes by this time. Slices of
     * a headless Service or of another proxy's Service change no rules. The first slice of a Service without endpoints
     * changes none either.
     */
    Optional<Instant> lastTrigger() {
        Set<ObjectKey> served = api.list(Resources.SERVICES, "").objects().stream()
                .filter(PublishedEndpoints::isServed)
                .map(ObjectKey::of)
                .collect(Collectors.toSet());
        return api.list(Resources.ENDPOINT_SLICES, "").objects().stream()
                .filter(slice -> served.contains(service(slice)) && !isStillEmpty(slice))
                .map(PublishedEndpoints::trigger)
                .flatMap(Optional::stream)
                .max(Instant::compareTo);
    }

    /** Whether a Pod has this readiness in the slices of each Service that selects it. */
    boolean show(PodView pod, boolean ready) {
        return api.list(Resources.SERVICES, pod.key().namespace()).objects().stream()
                .map(ServiceView::of)
                .filter(service -> service.selects(pod))
                .allMatch(service -> shows(service.key(), pod, ready));
    }

    private boolean shows(ObjectKey service, PodView pod, boolean ready) {
        boolean listed = false;
        for (ObjectNode slice :
                api.list(Resources.ENDPOINT_SLICES, service.namespace()).objects()) {
            if (!service(slice).equals(service)) {
                continue;
            }
            for (JsonNode endpoint : slice.path("endpoints")) {
                if (endpoint.path("targetRef").path("name").asText().equals(pod.name())) {
                    listed = true;
                    if (endpoint.path("conditions").path("ready").asBoolean(true) != ready) {
                        return false;
                    }
                }
            }
        }
        return listed;
    }

    private static ObjectKey service(ObjectNode slice) {
        JsonNode metadata = slice.path("metadata");
        return new ObjectKey(
                metadata.path("namespace").asText(),
                metadata.path("labels").path(SERVICE).asText());
    }

    private static boolean isServed(ObjectNode service) {
        return !ServiceView.of(service).clusterIps().isEmpty()
                && !service.path("metadata").path("labels").has(ServiceLabels.PROXY_NAME);
    }

    /** Whether the slice has had no endpoints since it was made. */
    private static boolean isStillEmpty(ObjectNode slice) {
        return slice.path("endpoints").isEmpty()
                && slice.path("metadata").path("generation").asInt() <= 1;
    }

    private static Optional<Instant> trigger(ObjectNode slice) {
        String text = slice.path("metadata").path("annotations").path(TRIGGER).asText("");
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
