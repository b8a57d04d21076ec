package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.page.PageActions.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Edits of a Service's fields that steer its traffic. The API server checks them like those of kubectl. */
final class ServiceActions {
    /** A label that no Pod has: a selector with it selects no Pod, and selects as before without it. */
    static final String NOBODY = "nodepath.dev/nobody";

    private static final int PORTS_MAX = 8;
    private static final String SELECTOR = "selector";
    private static final String PORTS = "ports";

    private static final Map<String, List<String>> VALUES = new TreeMap<>(Map.of(
            "externalTrafficPolicy",
            List.of("Cluster", "Local"),
            "internalTrafficPolicy",
            List.of("Cluster", "Local"),
            "sessionAffinity",
            List.of("None", "ClientIP"),
            SELECTOR,
            List.of("pods", "nobody"),
            PORTS,
            List.of("more", "less")));

    private final Cluster cluster;
    private final TimeLine timeLine;

    ServiceActions(Cluster cluster, TimeLine timeLine) {
        this.cluster = cluster;
        this.timeLine = timeLine;
    }

    /** Gives a field of a Service a value. */
    void edit(JsonNode what) throws RefusedException {
        String service = what.path("service").asText();
        ObjectKey key = key(service);
        if (cluster.api().find(Resources.SERVICES, key).isEmpty()) {
            throw new RefusedException(404, "service: \"" + service + "\" (expected: a Service of the cluster)");
        }
        String field = what.path("field").asText();
        String value = what.path("value").asText();
        List<String> values = VALUES.get(field);
        if (values == null) {
            throw new RefusedException(400, "field: \"" + field + "\" (expected: one of " + VALUES.keySet() + ")");
        }
        if (!values.contains(value)) {
            throw new RefusedException(400, field + ": \"" + value + "\" (expected: one of " + values + ")");
        }
        try {
            cluster.api().modify(Resources.SERVICES, key, "", object -> {
                edit(object.withObjectProperty("spec"), field, value);
                timeLine.tellAct(Act.EDIT_SERVICE, "Service " + service, field, value);
                return object;
            });
        } catch (StatusException e) {
            timeLine.tell("note", "Service " + service, "was not changed: the API server has refused the edit");
            throw new RefusedException(409, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new RefusedException(409, "Service " + service + ": " + e.getMessage());
        }
    }

    private static void edit(ObjectNode spec, String field, String value) {
        switch (field) {
            case SELECTOR -> select(spec, value.equals("nobody"));
            case PORTS -> {
                if (value.equals("more")) {
                    addPort(spec.withArrayProperty(PORTS));
                } else {
                    removePort(spec.withArrayProperty(PORTS));
                }
            }
            default -> spec.put(field, value);
        }
    }

    private static void select(ObjectNode spec, boolean nobody) {
        if (!spec.has(SELECTOR)) {
            throw new IllegalArgumentException("it has no selector (expected: one)");
        }
        ObjectNode selector = spec.withObjectProperty(SELECTOR);
        if (nobody) {
            selector.put(NOBODY, "true");
        } else {
            selector.remove(NOBODY);
        }
    }

    /** The next free port, with the target of the first one. Ports need names as soon as there are two. */
    private static void addPort(ArrayNode ports) {
        if (ports.isEmpty() || ports.size() >= PORTS_MAX) {
            throw new IllegalArgumentException(ports.size() + " ports (expected: 1 to " + (PORTS_MAX - 1) + ")");
        }
        ObjectNode first = (ObjectNode) ports.get(0);
        if (first.path("name").asText("").isEmpty()) {
            first.put("name", "port-" + first.path("port").asText());
        }
        int port = 0;
        for (JsonNode each : ports) {
            port = Math.max(port, each.path("port").asInt());
        }
        ObjectNode added = ports.addObject().put("name", "port-" + (port + 1)).put("port", port + 1);
        added.set("protocol", first.path("protocol"));
        added.set("targetPort", first.path("targetPort"));
    }

    private static void removePort(ArrayNode ports) {
        if (ports.size() < 2) {
            throw new IllegalArgumentException("one port (expected: another one beside it)");
        }
        ports.remove(ports.size() - 1);
    }

    /** {@code NAME}, or {@code NAME.NAMESPACE} outside of {@code default}. */
    private static ObjectKey key(String service) {
        int dot = service.indexOf('.');
        return dot < 0
                ? new ObjectKey("default", service)
                : new ObjectKey(service.substring(dot + 1), service.substring(0, dot));
    }
}
