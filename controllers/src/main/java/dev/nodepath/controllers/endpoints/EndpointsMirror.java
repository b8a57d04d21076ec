package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.Trigger;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Copies Endpoints that a user wrote for a Service without selector into EndpointSlices, because proxies read only
 * slices.
 */
public final class EndpointsMirror implements Controller {
    private static final String MANAGER = "endpointslicemirroring-controller.k8s.io";
    private static final String SKIP = "endpointslice.kubernetes.io/skip-mirror";
    private static final String LEADER = "control-plane.alpha.kubernetes.io/leader";

    private final ClusterApi api;
    private final SliceWriter slices;
    private final TriggerTimes times;

    public EndpointsMirror(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.slices = new SliceWriter(api, MANAGER);
        this.times = new TriggerTimes(clock);
    }

    @Override
    public String name() {
        return "endpoints-mirror";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                new Trigger(Resources.ENDPOINTS, event -> {
                    times.note(event.key());
                    return List.of(event.key());
                }),
                Trigger.each(Resources.SERVICES),
                slices.trigger());
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        Optional<ObjectNode> endpoints = api.find(Resources.ENDPOINTS, key).filter(EndpointsMirror::isMirrored);
        boolean byHand = api.find(Resources.SERVICES, key)
                .filter(service -> service.path("spec").path("selector").isEmpty())
                .isPresent();
        String time = times.unique(times.take(key));
        Map<SliceGroup, Map<String, ObjectNode>> desired =
                endpoints.isPresent() && byHand ? groups(endpoints.get()) : Map.of();
        SlicePlan plan = SlicePlan.of(group -> frame(endpoints.orElseThrow(), group), desired, slices.of(key));
        slices.apply(plan, key, time);
    }

    private static boolean isMirrored(JsonNode endpoints) {
        return !EndpointsController.isOurs(endpoints)
                && !Meta.labels(endpoints).path(SKIP).asText("").equals("true")
                && Meta.annotation(endpoints, LEADER).isEmpty()
                && !Meta.isTerminating(endpoints);
    }

    private static ObjectNode frame(ObjectNode endpoints, SliceGroup group) {
        ObjectNode slice = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = slice.putObject("metadata").put("namespace", Meta.namespace(endpoints));
        if (Meta.labels(endpoints).isObject()) {
            metadata.set("labels", Meta.labels(endpoints).deepCopy());
        }
        Meta.label(slice, EndpointSliceBuilder.MANAGED_BY, MANAGER);
        Meta.label(slice, EndpointSliceBuilder.SERVICE_NAME, Meta.name(endpoints));
        Owners.control(slice, endpoints);
        slice.put("addressType", group.addressType());
        slice.putArray("endpoints");
        slice.set("ports", group.ports());
        return slice;
    }

    private static Map<SliceGroup, Map<String, ObjectNode>> groups(JsonNode endpoints) {
        Map<SliceGroup, Map<String, ObjectNode>> groups = new LinkedHashMap<>();
        for (JsonNode subset : endpoints.path("subsets")) {
            ArrayNode ports = ports(subset);
            subset.path("addresses").forEach(address -> add(groups, ports, address, true));
            subset.path("notReadyAddresses").forEach(address -> add(groups, ports, address, false));
        }
        return groups;
    }

    private static void add(
            Map<SliceGroup, Map<String, ObjectNode>> groups, ArrayNode ports, JsonNode address, boolean ready) {
        ObjectNode endpoint = JsonNodeFactory.instance.objectNode();
        endpoint.putArray("addresses").add(address.path("ip").asText());
        endpoint.putObject("conditions").put("ready", ready);
        for (String field : new String[] {"hostname", "nodeName", "targetRef"}) {
            if (address.has(field)) {
                endpoint.set(field, address.get(field));
            }
        }
        SliceGroup group =
                new SliceGroup(ServiceShape.addressType(address.path("ip").asText()), ports);
        groups.computeIfAbsent(group, each -> new TreeMap<>()).putIfAbsent(PodEndpoint.id(endpoint), endpoint);
    }

    /** Ports of slices always have a name. */
    private static ArrayNode ports(JsonNode subset) {
        ArrayNode ports = JsonNodeFactory.instance.arrayNode();
        for (JsonNode port : subset.path("ports")) {
            ObjectNode copy = ports.addObject();
            copy.put("name", port.path("name").asText(""));
            copy.put("protocol", port.path("protocol").asText("TCP"));
            copy.put("port", port.path("port").asInt());
            if (port.has("appProtocol")) {
                copy.set("appProtocol", port.get("appProtocol"));
            }
        }
        return ports;
    }
}
