package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** The parts that a Service has because of its type, from its spec. */
final class ServiceKind {
    private ServiceKind() {}

    static boolean isExternalName(JsonNode spec) {
        return type(spec).equals("ExternalName");
    }

    static boolean isLoadBalancer(JsonNode spec) {
        return type(spec).equals("LoadBalancer");
    }

    static boolean hasNodePorts(JsonNode spec) {
        return type(spec).equals("NodePort") || isLoadBalancer(spec);
    }

    /** Whether a load balancer asks each node for the health of the Service's endpoints. */
    static boolean hasHealthPort(JsonNode spec) {
        return isLoadBalancer(spec)
                && spec.path("externalTrafficPolicy").asText("").equals("Local");
    }

    /** Whether it has no address, so that its name leads to its endpoints. */
    static boolean isHeadless(JsonNode spec) {
        return spec.path("clusterIP").asText("").equals("None");
    }

    private static String type(JsonNode spec) {
        return spec.path("type").asText("");
    }
}
