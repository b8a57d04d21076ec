package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pods and the templates of Pods. */
final class PodDefaults {
    private static final int MODE_0644 = 420;
    private static final int GRACE_SECONDS = 30;
    private static final int TOKEN_SECONDS = 3600;
    private static final int NOT_READY_SECONDS = 300;
    private static final List<String> CONTAINERS = List.of("initContainers", "containers", "ephemeralContainers");

    private PodDefaults() {}

    /** The defaults of a Pod that a template does not have: some are from admission plugins. */
    static void pod(ObjectNode pod) {
        ObjectNode spec = pod.withObjectProperty("spec");
        template(spec);
        Absent.put(spec, "enableServiceLinks", true);
        for (String list : CONTAINERS) {
            Absent.items(spec.path(list)).forEach(PodDefaults::requestsOfLimits);
        }
        Absent.put(spec, "serviceAccountName", spec.path("serviceAccount").asText());
        Absent.put(spec, "serviceAccountName", "default");
        spec.put("serviceAccount", spec.path("serviceAccountName").asText());
        tolerateForAWhile(spec, "node.kubernetes.io/not-ready");
        tolerateForAWhile(spec, "node.kubernetes.io/unreachable");
    }

    static void template(ObjectNode spec) {
        Absent.put(spec, "restartPolicy", "Always");
        Absent.put(spec, "dnsPolicy", "ClusterFirst");
        Absent.put(spec, "terminationGracePeriodSeconds", GRACE_SECONDS);
        Absent.put(spec, "schedulerName", "default-scheduler");
        Absent.putEmpty(spec, "securityContext");
        for (String list : CONTAINERS) {
            Absent.items(spec.path(list)).forEach(ContainerDefaults::apply);
        }
        if (spec.path("hostNetwork").asBoolean(false)) {
            hostPorts(spec);
        }
        Absent.items(spec.path("volumes")).forEach(PodDefaults::volume);
    }

    private static void volume(ObjectNode volume) {
        if (volume.size() == 1 && volume.has("name")) {
            volume.putObject("emptyDir");
        }
        for (String source : List.of("secret", "configMap", "downwardAPI", "projected")) {
            if (volume.get(source) instanceof ObjectNode present) {
                Absent.put(present, "defaultMode", MODE_0644);
            }
        }
        if (volume.path("ephemeral").path("volumeClaimTemplate").path("spec") instanceof ObjectNode claim) {
            Absent.put(claim, "volumeMode", "Filesystem");
        }
        if (volume.get("hostPath") instanceof ObjectNode path && !path.has("type")) {
            path.put("type", "");
        }
        for (JsonNode source : volume.path("projected").path("sources")) {
            if (source.path("serviceAccountToken") instanceof ObjectNode token) {
                Absent.put(token, "expirationSeconds", TOKEN_SECONDS);
            }
            fieldReferences(source.path("downwardAPI"));
        }
        fieldReferences(volume.path("downwardAPI"));
    }

    private static void fieldReferences(JsonNode downwardApi) {
        for (JsonNode item : downwardApi.path("items")) {
            if (item.path("fieldRef") instanceof ObjectNode reference) {
                Absent.put(reference, "apiVersion", "v1");
            }
        }
    }

    private static void hostPorts(ObjectNode spec) {
        List<ObjectNode> containers = new ArrayList<>(Absent.items(spec.path("containers")));
        containers.addAll(Absent.items(spec.path("initContainers")));
        for (ObjectNode container : containers) {
            for (ObjectNode port : Absent.items(container.path("ports"))) {
                Absent.putNumberOverZero(
                        port, "hostPort", port.path("containerPort").asInt());
            }
        }
    }

    private static void requestsOfLimits(ObjectNode container) {
        if (container.path("resources").path("limits") instanceof ObjectNode limits) {
            ObjectNode requests = container.withObjectProperty("resources").withObjectProperty("requests");
            for (Map.Entry<String, JsonNode> limit : limits.properties()) {
                Absent.put(requests, limit.getKey(), limit.getValue().asText());
            }
        }
    }

    private static void tolerateForAWhile(ObjectNode spec, String taint) {
        ArrayNode tolerations = spec.withArrayProperty("tolerations");
        for (JsonNode each : tolerations) {
            boolean key = each.path("key").asText("").isEmpty()
                    || each.path("key").asText().equals(taint);
            String effect = each.path("effect").asText("");
            if (key && (effect.isEmpty() || effect.equals("NoExecute"))) {
                return;
            }
        }
        tolerations
                .addObject()
                .put("key", taint)
                .put("operator", "Exists")
                .put("effect", "NoExecute")
                .put("tolerationSeconds", NOT_READY_SECONDS);
    }
}
