package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.process.NodepathVersion;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Reports about a Node as a kubelet makes them: unready at first, and ready when the agent can wire Pods. */
final class NodeConditions {
    private static final String KUBELET_VERSION = "v1.36.0";
    private static final int PODS_MAX = 110;

    private NodeConditions() {}

    /** Creates a Node of a manifest, with its status. */
    static void register(ClusterApi api, JsonNode manifest) {
        ObjectNode node = manifest.deepCopy();
        JsonNode status = node.remove("status");
        ObjectNode labels = node.withObjectProperty("metadata").withObjectProperty("labels");
        String name = ObjectKey.of(node).name();
        labels.put("kubernetes.io/hostname", name).put("kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", architecture());
        // The names of labels before Kubernetes 1.14; many manifests still select them.
        labels.put("beta.kubernetes.io/os", "linux").put("beta.kubernetes.io/arch", architecture());
        ObjectNode spec = node.withObjectProperty("spec");
        if (!spec.has("podCIDRs") && spec.has("podCIDR")) {
            spec.putArray("podCIDRs").add(spec.path("podCIDR").asText());
        }
        api.create(Resources.NODES, node);
        api.modify(Resources.NODES, new ObjectKey("", name), "status", created -> {
            ObjectNode written = created.withObjectProperty("status");
            if (status instanceof ObjectNode given) {
                written.setAll(given);
            }
            complete(written, name);
            condition(written, "False", "KubeletNotReady", "container runtime network not ready");
            return created;
        });
    }

    /** The node's agent can wire Pods. */
    static void markReady(ClusterApi api, ObjectNode node) {
        api.modify(Resources.NODES, ObjectKey.of(node), "status", changed -> {
            condition(changed.withObjectProperty("status"), "True", "KubeletReady", "kubelet is posting ready status");
            return changed;
        });
    }

    private static void complete(ObjectNode status, String name) {
        ArrayNode addresses = status.withArrayProperty("addresses");
        addresses.addObject().put("type", "Hostname").put("address", name);
        for (String field : new String[] {"capacity", "allocatable"}) {
            status.putObject(field)
                    .put("cpu", String.valueOf(Runtime.getRuntime().availableProcessors()))
                    .put("memory", Runtime.getRuntime().maxMemory() / 1024 + "Ki")
                    .put("pods", String.valueOf(PODS_MAX));
        }
        status.putObject("nodeInfo")
                .put("architecture", architecture())
                .put("bootID", "")
                .put("containerRuntimeVersion", "nodepath://" + NodepathVersion.version())
                .put("kernelVersion", System.getProperty("os.version"))
                .put("kubeProxyVersion", "")
                .put("kubeletVersion", KUBELET_VERSION)
                .put("machineID", "")
                .put("operatingSystem", "linux")
                .put("osImage", "Nodepath emulator")
                .put("systemUUID", "");
    }

    private static void condition(ObjectNode status, String value, String reason, String message) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ArrayNode conditions = status.withArrayProperty("conditions");
        ObjectNode ready = null;
        for (JsonNode each : conditions) {
            if (each.path("type").asText().equals("Ready")) {
                ready = (ObjectNode) each;
            }
        }
        if (ready == null) {
            ready = conditions.addObject().put("type", "Ready");
        }
        ready.put("status", value)
                .put("reason", reason)
                .put("message", message)
                .put("lastHeartbeatTime", now)
                .put("lastTransitionTime", now);
    }

    private static String architecture() {
        return System.getProperty("os.arch").equals("amd64") ? "amd64" : "arm64";
    }
}
