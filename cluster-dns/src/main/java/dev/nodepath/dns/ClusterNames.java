package dev.nodepath.dns;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins Services with their EndpointSlices, and changes the zone with each changed object. One thread uses it.
 *
 * <p>An unusable object has no names; the log tells the reason.
 */
final class ClusterNames {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNames.class);

    private final LiveZone zone;
    private final Map<ServiceName, DnsService> services = new HashMap<>();
    /** The endpoints of each slice, by Service and by the slice's name. */
    private final Map<ServiceName, Map<String, List<DnsEndpoint>>> slices = new HashMap<>();

    ClusterNames(LiveZone zone) {
        this.zone = zone;
    }

    /** Takes the present state of a Service, or its removal. */
    void service(JsonNode object, boolean gone) {
        ServiceName name = DnsObjects.name(object);
        Optional<DnsService> service =
                gone ? Optional.empty() : read("Service", object, () -> DnsObjects.service(object));
        service.ifPresentOrElse(each -> services.put(name, each), () -> services.remove(name));
        update(name);
    }

    /**
     * Takes the present state of an EndpointSlice, or its removal.
     *
     * @param before the slice before; it may have belonged to another Service
     */
    void slice(JsonNode object, Optional<? extends JsonNode> before, boolean gone) {
        ServiceName service = DnsObjects.serviceOf(object);
        String name = DnsObjects.name(object).name();
        before.map(DnsObjects::serviceOf)
                .filter(each -> !each.equals(service))
                .ifPresent(each -> put(each, name, List.of()));
        put(
                service,
                name,
                gone
                        ? List.of()
                        : read("EndpointSlice", object, () -> DnsObjects.endpoints(object))
                                .orElse(List.of()));
    }

    /** Takes a Namespace, or its removal. */
    void namespace(JsonNode object, boolean gone) {
        String name = DnsObjects.name(object).name();
        zone.change(now -> gone ? now.withoutNamespace(name) : now.withNamespace(name));
    }

    private void put(ServiceName service, String slice, List<DnsEndpoint> endpoints) {
        Map<String, List<DnsEndpoint>> all = slices.computeIfAbsent(service, each -> new TreeMap<>());
        if (endpoints.isEmpty()) {
            all.remove(slice);
        } else {
            all.put(slice, endpoints);
        }
        if (all.isEmpty()) {
            slices.remove(service);
        }
        update(service);
    }

    private void update(ServiceName name) {
        @Nullable DnsService service = services.get(name);
        List<DnsEndpoint> endpoints = slices.getOrDefault(name, Map.of()).values().stream()
                .flatMap(Collection::stream)
                .toList();
        zone.change(now -> service == null ? now.without(name) : now.with(service, endpoints));
    }

    private static <T> Optional<T> read(String kind, JsonNode object, Supplier<T> reader) {
        try {
            return Optional.of(reader.get());
        } catch (IllegalArgumentException e) {
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .addKeyValue("object", DnsObjects.name(object))
                    .addKeyValue("reason", e.getMessage())
                    .log("dns.object_skipped");
            return Optional.empty();
        }
    }
}
