package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The Endpoints of a Service, the older form of EndpointSlices: one object in the first address family, without
 * terminating Pods.
 */
final class EndpointsBuilder {
    /** The limit of kube-controller-manager: further addresses are left out, and an annotation tells it. */
    static final int ADDRESSES_MAX = 1000;

    static final String MANAGED_BY = "endpoints.kubernetes.io/managed-by";
    static final String MANAGER = "endpoint-controller";
    private static final String HEADLESS = "service.kubernetes.io/headless";
    private static final String OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

    private record Address(JsonNode pod, String ip, boolean ready) {}

    private EndpointsBuilder() {}

    /** The Endpoints, with the name of their Service. */
    static ObjectNode build(JsonNode service, Collection<? extends JsonNode> pods) {
        ObjectNode endpoints = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = endpoints.putObject("metadata");
        metadata.put("name", Meta.name(service)).put("namespace", Meta.namespace(service));
        if (Meta.labels(service).isObject()) {
            metadata.set("labels", Meta.labels(service).deepCopy());
        }
        Meta.label(endpoints, MANAGED_BY, MANAGER);
        if (ServiceShape.isHeadless(service)) {
            Meta.label(endpoints, HEADLESS, "");
        }
        List<Address> addresses = addresses(service, pods);
        if (addresses.size() > ADDRESSES_MAX) {
            Meta.annotate(endpoints, OVER_CAPACITY, "truncated");
        }
        addSubsets(endpoints, service, addresses.subList(0, Math.min(ADDRESSES_MAX, addresses.size())));
        return endpoints;
    }

    /** Ready addresses come first, and so are the last to be left out. */
    private static List<Address> addresses(JsonNode service, Collection<? extends JsonNode> pods) {
        String type = ServiceShape.addressTypes(service).get(0);
        boolean all = PodEndpoint.publishesUnready(service);
        List<Address> addresses = new ArrayList<>();
        for (JsonNode pod : EndpointSliceBuilder.selected(service, pods)) {
            if (all || !Meta.isTerminating(pod)) {
                PodEndpoint.address(pod, type)
                        .ifPresent(ip -> addresses.add(new Address(pod, ip, all || PodState.isReady(pod))));
            }
        }
        addresses.sort(Comparator.comparing((Address each) -> !each.ready())
                .thenComparing(Address::ip)
                .thenComparing(each -> Meta.name(each.pod())));
        return addresses;
    }

    private static void addSubsets(ObjectNode endpoints, JsonNode service, List<Address> addresses) {
        Map<ArrayNode, List<Address>> byPorts = new LinkedHashMap<>();
        TargetPorts targets = new TargetPorts(service);
        addresses.forEach(each -> byPorts.computeIfAbsent(targets.of(each.pod()), ports -> new ArrayList<>())
                .add(each));
        ArrayNode subsets = endpoints.arrayNode();
        byPorts.forEach((ports, ofPorts) -> {
            ObjectNode subset = subsets.addObject();
            ofPorts.forEach(each -> subset.withArrayProperty(each.ready() ? "addresses" : "notReadyAddresses")
                    .add(address(service, each)));
            if (!ports.isEmpty()) {
                subset.set("ports", named(ports));
            }
        });
        if (!subsets.isEmpty()) {
            endpoints.set("subsets", subsets);
        }
    }

    private static ObjectNode address(JsonNode service, Address each) {
        ObjectNode address = JsonNodeFactory.instance.objectNode().put("ip", each.ip());
        PodEndpoint.hostname(service, each.pod()).ifPresent(name -> address.put("hostname", name));
        if (!PodState.node(each.pod()).isEmpty()) {
            address.put("nodeName", PodState.node(each.pod()));
        }
        address.set("targetRef", PodEndpoint.target(each.pod()));
        return address;
    }

    /** Endpoints have no empty names of ports. */
    private static ArrayNode named(ArrayNode ports) {
        ArrayNode copy = ports.deepCopy();
        for (JsonNode port : copy) {
            if (port instanceof ObjectNode each && each.path("name").asText("").isEmpty()) {
                each.remove("name");
            }
        }
        return copy;
    }
}
