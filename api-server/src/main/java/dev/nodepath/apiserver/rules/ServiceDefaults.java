package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Services, except their allocated values. */
final class ServiceDefaults {
    private static final int AFFINITY_SECONDS = 10_800;

    private ServiceDefaults() {}

    static void apply(ObjectNode service) {
        ObjectNode spec = service.withObjectProperty("spec");
        Absent.put(spec, "type", "ClusterIP");
        Absent.put(spec, "sessionAffinity", "None");
        String type = spec.path("type").asText();
        boolean external = type.equals("NodePort") || type.equals("LoadBalancer");
        if (spec.path("sessionAffinity").asText().equals("ClientIP")) {
            ObjectNode clientIp =
                    spec.withObjectProperty("sessionAffinityConfig").withObjectProperty("clientIP");
            Absent.put(clientIp, "timeoutSeconds", AFFINITY_SECONDS);
        } else if (spec.path("sessionAffinity").asText().equals("None")) {
            spec.remove("sessionAffinityConfig");
        }
        if (external || (spec.path("externalIPs").size() > 0 && type.equals("ClusterIP"))) {
            Absent.put(spec, "externalTrafficPolicy", "Cluster");
        }
        if (external || type.equals("ClusterIP")) {
            Absent.put(spec, "internalTrafficPolicy", "Cluster");
        }
        if (type.equals("LoadBalancer")) {
            Absent.put(spec, "allocateLoadBalancerNodePorts", true);
        }
        Absent.items(spec.path("ports")).forEach(ServiceDefaults::port);
    }

    private static void port(ObjectNode port) {
        Absent.put(port, "protocol", "TCP");
        boolean none = Absent.is(port, "targetPort")
                || (port.get("targetPort").isNumber() && port.get("targetPort").asInt() == 0);
        if (none) {
            port.put("targetPort", port.path("port").asInt());
        }
    }
}
