package dev.nodepath.apiserver.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;

/** The defaults of every kind. */
final class ObjectDefaults {
    private ObjectDefaults() {}

    /** Adds the defaults of every object of a kind, at its creation and at each change. */
    public static void apply(Resource resource, ObjectNode object) {
        if (!Resources.isBuiltIn(resource)) {
            return;
        }
        switch (resource.kind()) {
            case "Pod" -> PodDefaults.pod(object);
            case "Service" -> ServiceDefaults.apply(object);
            case "Deployment" -> WorkloadDefaults.deployment(object);
            case "ReplicaSet" -> WorkloadDefaults.replicaSet(object);
            case "StatefulSet" -> WorkloadDefaults.statefulSet(object);
            case "DaemonSet" -> WorkloadDefaults.daemonSet(object);
            case "Job" -> JobDefaults.apply(object);
            case "PersistentVolumeClaim" -> Absent.put(object.withObjectProperty("spec"), "volumeMode", "Filesystem");
            case "PersistentVolume" -> {
                Absent.put(object.withObjectProperty("spec"), "volumeMode", "Filesystem");
                Absent.put(object.withObjectProperty("spec"), "persistentVolumeReclaimPolicy", "Retain");
            }
            case "PriorityClass" -> Absent.put(object, "preemptionPolicy", "PreemptLowerPriority");
            case "StorageClass" -> {
                Absent.put(object, "reclaimPolicy", "Delete");
                Absent.put(object, "volumeBindingMode", "Immediate");
            }
            case "RoleBinding", "ClusterRoleBinding" -> {
                if (object.get("roleRef") instanceof ObjectNode role) {
                    Absent.put(role, "apiGroup", resource.group());
                }
            }
            case "Secret" -> secret(object);
            case "Node" -> node(object);
            case "Namespace" -> namespace(object);
            case "NetworkPolicy" -> networkPolicy(object);
            case "CustomResourceDefinition" -> DefinitionDefaults.apply(object);
            case "Endpoints" -> object.path("subsets").forEach(subset -> protocols(subset.path("ports")));
            case "EndpointSlice" -> endpointSlice(object);
            default -> {}
        }
    }

    /** Adds the defaults of a new object only. Drops its status, as a new object has none. */
    public static void start(Resource resource, ObjectNode object) {
        if (resource.has("status") && !resource.equals(Resources.NODES)) {
            object.remove("status");
        }
        if (!Resources.isBuiltIn(resource)) {
            return;
        }
        switch (resource.kind()) {
            case "Pod" -> pod(object);
            case "Namespace" -> {
                ArrayNode finalizers = object.withObjectProperty("spec").withArrayProperty("finalizers");
                if (finalizers.isEmpty()) {
                    finalizers.add("kubernetes");
                }
                object.putObject("status").put("phase", "Active");
            }
            case "CustomResourceDefinition" -> DefinitionDefaults.start(object);
            case "Job" -> JobDefaults.start(object);
            case "PersistentVolumeClaim", "PersistentVolume" ->
                object.putObject("status").put("phase", "Pending");
            case "Service" -> object.putObject("status").putObject("loadBalancer");
            case "Deployment", "DaemonSet", "StatefulSet", "ReplicaSet" -> counts(object);
            case "ServiceCIDR" ->
                object.putObject("status")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "Ready")
                        .put("status", "True")
                        .put("reason", "")
                        .put("message", "Kubernetes Service CIDR is ready")
                        .set("lastTransitionTime", object.path("metadata").path("creationTimestamp"));
            default -> {}
        }
    }

    private static void pod(ObjectNode pod) {
        pod.putObject("status").put("phase", "Pending").put("qosClass", QualityOfService.of(pod.path("spec")));
        if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            ConditionList.set(
                    pod,
                    "PodScheduled",
                    "False",
                    "SchedulingGated",
                    "Scheduling is blocked due to non-empty scheduling gates",
                    Instant.parse(pod.path("metadata").path("creationTimestamp").asText()));
        }
    }

    /** The counts that a workload's status always has. */
    private static void counts(ObjectNode workload) {
        ObjectNode status = workload.putObject("status");
        switch (workload.path("kind").asText()) {
            case "DaemonSet" ->
                status.put("currentNumberScheduled", 0)
                        .put("desiredNumberScheduled", 0)
                        .put("numberMisscheduled", 0)
                        .put("numberReady", 0);
            case "StatefulSet" -> status.put("availableReplicas", 0).put("replicas", 0);
            case "ReplicaSet" -> status.put("replicas", 0);
            default -> {}
        }
    }

    private static void secret(ObjectNode secret) {
        Absent.put(secret, "type", "Opaque");
        if (secret.remove("stringData") instanceof ObjectNode texts) {
            ObjectNode data = secret.withObjectProperty("data");
            for (Map.Entry<String, JsonNode> text : texts.properties()) {
                data.put(
                        text.getKey(),
                        Base64.getEncoder()
                                .encodeToString(text.getValue().asText().getBytes(UTF_8)));
            }
        }
    }

    private static void node(ObjectNode node) {
        ObjectNode spec = node.withObjectProperty("spec");
        if (!Absent.is(spec, "podCIDR") && spec.path("podCIDRs").isEmpty()) {
            spec.putArray("podCIDRs").add(spec.path("podCIDR").asText());
        } else if (Absent.is(spec, "podCIDR") && !spec.path("podCIDRs").isEmpty()) {
            spec.put("podCIDR", spec.path("podCIDRs").path(0).asText());
        }
        if (node.get("status") instanceof ObjectNode status && status.has("capacity") && !status.has("allocatable")) {
            status.set("allocatable", status.get("capacity").deepCopy());
        }
    }

    private static void namespace(ObjectNode namespace) {
        ObjectNode metadata = namespace.withObjectProperty("metadata");
        metadata.withObjectProperty("labels")
                .put("kubernetes.io/metadata.name", metadata.path("name").asText());
    }

    private static void networkPolicy(ObjectNode policy) {
        ObjectNode spec = policy.withObjectProperty("spec");
        if (spec.path("policyTypes").isEmpty()) {
            ArrayNode types = spec.putArray("policyTypes").add("Ingress");
            if (!spec.path("egress").isEmpty()) {
                types.add("Egress");
            }
        }
        spec.path("ingress").forEach(rule -> protocols(rule.path("ports")));
        spec.path("egress").forEach(rule -> protocols(rule.path("ports")));
    }

    private static void endpointSlice(ObjectNode slice) {
        protocols(slice.path("ports"));
        for (ObjectNode port : Absent.items(slice.path("ports"))) {
            if (!port.has("name")) {
                port.put("name", "");
            }
        }
    }

    private static void protocols(JsonNode ports) {
        Absent.items(ports).forEach(port -> Absent.put(port, "protocol", "TCP"));
    }
}
