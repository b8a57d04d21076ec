package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The EndpointSlices of a Service as a function of the Service, the Pods of its namespace and the Nodes. Pods with
 * different numbers for a named port are in separate slices.
 */
public final class EndpointSliceBuilder {
    /** The most endpoints in one slice, as kube-controller-manager's {@code --max-endpoints-per-slice}. */
    public static final int ENDPOINTS_MAX = 100;

    /** The label that names a slice's Service. */
    public static final String SERVICE_NAME = "kubernetes.io/service-name";

    static final String MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    /** The name of Kubernetes' own controller, so that kubectl and proxies see no difference. */
    static final String MANAGER = "endpointslice-controller.k8s.io";

    private static final String HEADLESS = "service.kubernetes.io/headless";
    private static final Set<String> OWN_LABELS = Set.of(SERVICE_NAME, MANAGED_BY, HEADLESS);

    private EndpointSliceBuilder() {}

    /**
     * The slices, named after the Service and numbered. A Service without Pods has an empty slice for each address
     * type; a Service without selector has no slice.
     *
     * @param pods of any labels and namespaces; only the Service's Pods count
     * @param nodes finds a Node by its name
     */
    public static List<ObjectNode> build(
            JsonNode service, Collection<? extends JsonNode> pods, Function<String, Optional<ObjectNode>> nodes) {
        List<ObjectNode> slices = new ArrayList<>();
        if (!ServiceShape.selects(service)) {
            return slices;
        }
        endpoints(service, pods, nodes).forEach((group, endpoints) -> {
            List<ObjectNode> all = List.copyOf(endpoints.values());
            for (int from = 0; from == 0 || from < all.size(); from += ENDPOINTS_MAX) {
                ObjectNode slice = empty(service, group);
                slice.withObjectProperty("metadata").put("name", Meta.name(service) + "-" + slices.size());
                slice.withArrayProperty("endpoints")
                        .addAll(all.subList(from, Math.min(all.size(), from + ENDPOINTS_MAX)));
                slices.add(slice);
            }
        });
        return slices;
    }

    /** The endpoints of a Service by group and {@link PodEndpoint#id}. Each address type has one group at least. */
    static Map<SliceGroup, Map<String, ObjectNode>> endpoints(
            JsonNode service, Collection<? extends JsonNode> pods, Function<String, Optional<ObjectNode>> nodes) {
        List<? extends JsonNode> selected = selected(service, pods);
        Map<SliceGroup, Map<String, ObjectNode>> groups = new LinkedHashMap<>();
        for (String type : ServiceShape.addressTypes(service)) {
            Map<ArrayNode, Map<String, ObjectNode>> byPorts = byPorts(service, selected, type, nodes);
            if (byPorts.isEmpty()) {
                byPorts.put(JsonNodeFactory.instance.arrayNode(), Map.of());
            }
            byPorts.forEach((ports, endpoints) -> groups.put(new SliceGroup(type, ports), endpoints));
        }
        return groups;
    }

    private static Map<ArrayNode, Map<String, ObjectNode>> byPorts(
            JsonNode service,
            List<? extends JsonNode> pods,
            String addressType,
            Function<String, Optional<ObjectNode>> nodes) {
        Map<ArrayNode, Map<String, ObjectNode>> byPorts = new LinkedHashMap<>();
        TargetPorts targets = new TargetPorts(service);
        ArrayNode ports = JsonNodeFactory.instance.arrayNode();
        Map<String, ObjectNode> ofPorts = new TreeMap<>();
        for (JsonNode pod : pods) {
            Optional<String> address = PodEndpoint.address(pod, addressType);
            if (address.isPresent()) {
                ArrayNode own = targets.of(pod);
                // Nearly all Pods have the same ports as the Pod before.
                if (byPorts.isEmpty() || !own.equals(ports)) {
                    ports = own;
                    ofPorts = byPorts.computeIfAbsent(own, each -> new TreeMap<>());
                }
                ObjectNode endpoint = PodEndpoint.of(service, pod, address.get(), nodes.apply(PodState.node(pod)));
                ofPorts.put(PodEndpoint.id(endpoint), endpoint);
            }
        }
        return byPorts;
    }

    /** The Pods that the Service's selector matches; without a selector all Pods of its namespace. */
    public static List<? extends JsonNode> selected(JsonNode service, Collection<? extends JsonNode> pods) {
        JsonNode selector = service.path("spec").path("selector");
        return pods.stream()
                .filter(pod -> Meta.namespace(pod).equals(Meta.namespace(service))
                        && SelectorMatch.matchesMap(selector, Meta.labels(pod)))
                .toList();
    }

    /** A slice of a group without name and endpoints. */
    static ObjectNode empty(JsonNode service, SliceGroup group) {
        ObjectNode slice = JsonNodeFactory.instance.objectNode();
        slice.put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        ObjectNode metadata = slice.putObject("metadata").put("namespace", Meta.namespace(service));
        metadata.set("labels", labels(service));
        if (!Meta.uid(service).isEmpty()) {
            Owners.control(slice, service);
        }
        slice.put("addressType", group.addressType());
        slice.putArray("endpoints");
        slice.set("ports", group.ports());
        return slice;
    }

    private static ObjectNode labels(JsonNode service) {
        ObjectNode labels = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> each : Meta.labels(service).properties()) {
            if (!OWN_LABELS.contains(each.getKey())) {
                labels.set(each.getKey(), each.getValue());
            }
        }
        labels.put(MANAGED_BY, MANAGER).put(SERVICE_NAME, Meta.name(service));
        if (ServiceShape.isHeadless(service)) {
            labels.put(HEADLESS, "");
        }
        return labels;
    }
}
