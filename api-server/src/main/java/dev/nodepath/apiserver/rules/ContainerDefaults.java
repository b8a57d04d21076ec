package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Containers: ports, probes, pull policy, messages. */
final class ContainerDefaults {
    private ContainerDefaults() {}

    static void apply(ObjectNode container) {
        Absent.put(container, "terminationMessagePath", "/dev/termination-log");
        Absent.put(container, "terminationMessagePolicy", "File");
        Absent.put(
                container, "imagePullPolicy", pullPolicy(container.path("image").asText("")));
        Absent.putEmpty(container, "resources");
        Absent.items(container.path("ports")).forEach(port -> Absent.put(port, "protocol", "TCP"));
        for (JsonNode variable : container.path("env")) {
            if (variable.path("valueFrom").path("fieldRef") instanceof ObjectNode reference) {
                Absent.put(reference, "apiVersion", "v1");
            }
        }
        for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
            if (container.get(probe) instanceof ObjectNode present) {
                probe(present);
            }
        }
        for (String hook : List.of("postStart", "preStop")) {
            httpGet(container.path("lifecycle").path(hook));
        }
    }

    private static void probe(ObjectNode probe) {
        Absent.putNumberOverZero(probe, "timeoutSeconds", 1);
        Absent.putNumberOverZero(probe, "periodSeconds", 10);
        Absent.putNumberOverZero(probe, "successThreshold", 1);
        Absent.putNumberOverZero(probe, "failureThreshold", 3);
        httpGet(probe);
        if (probe.get("grpc") instanceof ObjectNode grpc && !grpc.has("service")) {
            grpc.put("service", "");
        }
    }

    private static void httpGet(JsonNode handler) {
        if (handler.path("httpGet") instanceof ObjectNode get) {
            Absent.put(get, "path", "/");
            Absent.put(get, "scheme", "HTTP");
        }
    }

    /** An image without tag, or with the tag latest, is pulled each time. */
    private static String pullPolicy(String image) {
        int colon = image.indexOf(':', image.lastIndexOf('/') + 1);
        boolean pinned = image.contains("@");
        String tag = colon < 0 ? "latest" : image.substring(colon + 1);
        return !pinned && tag.equals("latest") ? "Always" : "IfNotPresent";
    }
}
