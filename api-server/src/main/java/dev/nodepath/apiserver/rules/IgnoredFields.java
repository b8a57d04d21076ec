package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Fields that this cluster stores and does not act on, in words for the user who wrote them. */
final class IgnoredFields {
    private static final Set<String> VOLUMES =
            Set.of("name", "configMap", "secret", "emptyDir", "downwardAPI", "projected", "persistentVolumeClaim");
    /** Fields of a Pod's spec. Each line goes when the kubelet learns the field; a test knows all others. */
    static final List<String> POD = List.of(
            "automountServiceAccountToken",
            "ephemeralContainers",
            "securityContext",
            "runtimeClassName",
            "priorityClassName",
            "hostPID",
            "hostIPC",
            "imagePullSecrets",
            "schedulingGates",
            "resourceClaims",
            "overhead",
            "hostnameOverride",
            "os",
            "preemptionPolicy",
            "priority",
            "resources",
            "schedulingGroup");
    /** Fields of a container. */
    static final List<String> CONTAINER = List.of(
            "securityContext",
            "resources",
            "lifecycle.postStart",
            "volumeDevices",
            "stdin",
            "stdinOnce",
            "tty",
            "resizePolicy",
            "restartPolicyRules");

    private IgnoredFields() {}

    static List<String> of(Resource resource, JsonNode object) {
        if (!Resources.isBuiltIn(resource)) {
            return List.of();
        }
        return switch (resource.kind()) {
            case "Pod" -> pod("spec", object.path("spec"));
            case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet" -> workload(object.path("spec"));
            case "Job" -> job(object.path("spec"));
            case "Service" -> service(object.path("spec"));
            default -> List.of();
        };
    }

    private static List<String> workload(JsonNode spec) {
        List<String> warnings = pod("spec.template.spec", spec.path("template").path("spec"));
        String scaled = "persistentVolumeClaimRetentionPolicy";
        if (spec.path(scaled).path("whenScaled").asText().equals("Delete")) {
            warnings.add(ignored("spec." + scaled + ".whenScaled"));
        }
        return warnings;
    }

    private static List<String> job(JsonNode spec) {
        List<String> warnings = pod("spec.template.spec", spec.path("template").path("spec"));
        for (String field : List.of("podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes")) {
            if (isSet(spec.path(field))) {
                warnings.add(ignored("spec." + field));
            }
        }
        return warnings;
    }

    private static List<String> service(JsonNode spec) {
        return isSet(spec.path("loadBalancerClass"))
                ? List.of("spec.loadBalancerClass: this cluster has no load balancer of that class")
                : List.of();
    }

    private static List<String> pod(String path, JsonNode spec) {
        List<String> warnings = new ArrayList<>();
        for (String field : POD) {
            if (isSet(spec.path(field))) {
                warnings.add(ignored(path + "." + field));
            }
        }
        for (int i = 0; i < spec.path("volumes").size(); i++) {
            String volume = path + ".volumes[" + i + "].";
            spec.path("volumes").path(i).fieldNames().forEachRemaining(source -> {
                if (!VOLUMES.contains(source)) {
                    warnings.add(ignored(volume + source));
                }
            });
        }
        containers(path + ".initContainers", spec.path("initContainers"), warnings);
        containers(path + ".containers", spec.path("containers"), warnings);
        return warnings;
    }

    private static void containers(String path, JsonNode containers, List<String> warnings) {
        for (int i = 0; i < containers.size(); i++) {
            for (String field : CONTAINER) {
                if (isSet(containers.path(i).at("/" + field.replace('.', '/')))) {
                    warnings.add(ignored(path + "[" + i + "]." + field));
                }
            }
        }
    }

    /** Whether a value asks for something. */
    private static boolean isSet(JsonNode value) {
        return !(value.isMissingNode()
                || value.isNull()
                || (value.isContainerNode() && value.isEmpty())
                || (value.isBoolean() && !value.booleanValue()));
    }

    private static String ignored(String path) {
        return path + ": this cluster ignores this field";
    }
}
