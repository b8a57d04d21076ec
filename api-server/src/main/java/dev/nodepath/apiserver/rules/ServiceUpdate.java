package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values that a Service keeps at a change: allocated ones that the new state leaves out, unless its new type
 * cannot have them.
 */
final class ServiceUpdate {
    private static final String CLUSTER_IP = "clusterIP";
    private static final String CLUSTER_IPS = "clusterIPs";
    private static final String NODE_PORT = "nodePort";
    private static final String HEALTH_PORT = "healthCheckNodePort";

    private final ObjectNode spec;
    private final ObjectNode old;

    ServiceUpdate(ObjectNode service, ObjectNode before) {
        this.spec = service.withObjectProperty("spec");
        this.old = before.deepCopy().withObjectProperty("spec");
    }

    void apply() {
        dropWhatTheTypeHasNot();
        keepAddresses();
        if (ServiceKind.hasNodePorts(spec) && ServiceKind.hasNodePorts(old)) {
            keepNodePorts();
        }
        if (ServiceKind.hasHealthPort(spec) && ServiceKind.hasHealthPort(old) && number(spec, HEALTH_PORT) == 0) {
            spec.set(HEALTH_PORT, old.get(HEALTH_PORT));
        }
    }

    private void dropWhatTheTypeHasNot() {
        if (ServiceKind.isExternalName(spec) && !ServiceKind.isExternalName(old)) {
            dropIfSame(CLUSTER_IP, CLUSTER_IPS, "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy");
        }
        if (ServiceKind.isExternalName(old) && !ServiceKind.isExternalName(spec)) {
            dropIfSame("externalName");
        }
        if (!ServiceKind.hasNodePorts(spec) && ServiceKind.hasNodePorts(old)) {
            dropIfSame("externalTrafficPolicy");
            Set<Integer> before = new HashSet<>();
            old.path("ports").forEach(port -> before.add(number(port, NODE_PORT)));
            for (JsonNode port : spec.path("ports")) {
                if (port instanceof ObjectNode object && before.contains(number(object, NODE_PORT))) {
                    object.remove(NODE_PORT);
                }
            }
        }
        if (!ServiceKind.hasHealthPort(spec) && ServiceKind.hasHealthPort(old)) {
            dropIfSame(HEALTH_PORT);
        }
        if (!ServiceKind.isLoadBalancer(spec) && ServiceKind.isLoadBalancer(old)) {
            dropIfSame("allocateLoadBalancerNodePorts", "loadBalancerClass");
        }
    }

    private void dropIfSame(String... fields) {
        for (String field : List.of(fields)) {
            if (spec.path(field).equals(old.path(field))) {
                spec.remove(field);
            }
        }
    }

    /** The single address and the list of addresses follow each other. */
    private void keepAddresses() {
        if (ServiceKind.isExternalName(spec) || ServiceKind.isExternalName(old)) {
            return;
        }
        if (spec.path(CLUSTER_IP).asText("").isEmpty() && spec.path(CLUSTER_IPS).isEmpty()) {
            spec.set(CLUSTER_IP, old.path(CLUSTER_IP));
            spec.set(CLUSTER_IPS, old.path(CLUSTER_IPS));
        } else if (spec.path(CLUSTER_IP).asText("").isEmpty()) {
            spec.set(CLUSTER_IP, old.path(CLUSTER_IP));
        } else if (spec.path(CLUSTER_IPS).isEmpty() && spec.path(CLUSTER_IP).equals(old.path(CLUSTER_IP))) {
            spec.set(CLUSTER_IPS, old.path(CLUSTER_IPS));
        } else if (!spec.path(CLUSTER_IP).equals(old.path(CLUSTER_IP))
                && spec.path(CLUSTER_IPS).equals(old.path(CLUSTER_IPS))) {
            spec.putArray(CLUSTER_IPS).add(spec.get(CLUSTER_IP));
        }
    }

    private void keepNodePorts() {
        Map<String, Integer> before = new HashMap<>();
        old.path("ports").forEach(port -> before.put(identity(port), number(port, NODE_PORT)));
        Set<Integer> asked = new HashSet<>();
        spec.path("ports").forEach(port -> asked.add(number(port, NODE_PORT)));
        for (JsonNode port : spec.path("ports")) {
            int kept = before.getOrDefault(identity(port), 0);
            if (kept != 0 && port instanceof ObjectNode object && number(object, NODE_PORT) == 0 && asked.add(kept)) {
                object.put(NODE_PORT, kept);
            }
        }
    }

    private static String identity(JsonNode port) {
        return port.path("protocol").asText() + port.path("port").asInt();
    }

    private static int number(JsonNode object, String field) {
        return object.path(field).asInt(0);
    }
}
