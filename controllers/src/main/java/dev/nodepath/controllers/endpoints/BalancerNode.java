package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.Meta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The node to which the addresses of a load balancer lead, as with a balancer that announces each address from one
 * node.
 */
public final class BalancerNode {
    private BalancerNode() {}

    /**
     * The node of each load balancer's address; addresses without a node are left out.
     *
     * @param nodes the nodes that the load balancer reaches
     * @param slices the EndpointSlices of the cluster
     */
    public static Map<String, String> byAddress(
            List<? extends JsonNode> services, List<? extends JsonNode> nodes, List<? extends JsonNode> slices) {
        Map<String, String> byAddress = new HashMap<>();
        for (JsonNode service : services) {
            for (JsonNode ingress : service.at("/status/loadBalancer/ingress")) {
                String address = ingress.path("ip").asText();
                if (BalancerRange.contains(address)) {
                    of(service, nodes, slices).ifPresent(node -> byAddress.put(address, node));
                }
            }
        }
        return byAddress;
    }

    /**
     * The first ready node by name; with {@code externalTrafficPolicy: Local} the first node with a ready endpoint.
     * Empty if there is none.
     */
    private static Optional<String> of(
            JsonNode service, List<? extends JsonNode> nodes, List<? extends JsonNode> slices) {
        boolean local =
                service.path("spec").path("externalTrafficPolicy").asText().equals("Local");
        return nodes.stream()
                .filter(node -> ConditionList.isTrue(node, "Ready"))
                .map(Meta::name)
                .sorted()
                .filter(node -> !local || slices.stream().anyMatch(slice -> hasEndpoint(service, slice, node)))
                .findFirst();
    }

    private static boolean hasEndpoint(JsonNode service, JsonNode slice, String node) {
        if (!Meta.namespace(slice).equals(Meta.namespace(service))
                || !Meta.labels(slice)
                        .path("kubernetes.io/service-name")
                        .asText()
                        .equals(Meta.name(service))) {
            return false;
        }
        for (JsonNode endpoint : slice.path("endpoints")) {
            if (endpoint.path("nodeName").asText().equals(node)
                    && endpoint.path("conditions").path("ready").asBoolean(true)) {
                return true;
            }
        }
        return false;
    }
}
