package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.SharedValues;
import dev.nodepath.endpoints.source.kubernetes.UnreadFields;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the fields of a Pod that policies depend on. Many Pods share one value of equal labels, ports and nodes. */
public final class PolicyPodConverter {
    /** The fields that policies do not need: most of a Pod, by size. */
    public static final UnreadFields UNREAD = UnreadFields.of(unread());

    private static final List<String> PROTOCOLS =
            List.of(Protocol.TCP.name(), Protocol.UDP.name(), Protocol.SCTP.name());
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    private final SharedValues values = new SharedValues();

    private static List<String> unread() {
        List<String> paths = new ArrayList<>(List.of(
                "metadata.managedFields",
                "metadata.ownerReferences",
                "spec.affinity",
                "spec.ephemeralContainers",
                "spec.securityContext",
                "spec.tolerations",
                "spec.topologySpreadConstraints",
                "spec.volumes",
                "status.conditions",
                "status.containerStatuses",
                "status.ephemeralContainerStatuses",
                "status.initContainerStatuses"));
        for (String containers : List.of("containers", "initContainers")) {
            for (String field : List.of(
                    "args",
                    "command",
                    "env",
                    "envFrom",
                    "lifecycle",
                    "livenessProbe",
                    "readinessProbe",
                    "resources",
                    "securityContext",
                    "startupProbe",
                    "volumeMounts")) {
                paths.add("spec." + containers + "." + field);
            }
        }
        return paths;
    }

    /**
     * The pod. None for a Pod with {@code hostNetwork}, without a node, or with an end: another pod may have its
     * address then. An address without a node is a problem: a handwritten manifest lacks the node.
     */
    public List<PolicyPod> convert(NamespacedName name, Fields pod) {
        Fields spec = pod.object("spec");
        Fields status = pod.object("status");
        if (spec.flag("hostNetwork", false) || ENDED.contains(status.text("phase"))) {
            return List.of();
        }
        List<IpAddress> addresses = addresses(status);
        String node = addresses.isEmpty() ? spec.text("nodeName") : spec.requiredText("nodeName");
        if (node.isEmpty()) {
            return List.of();
        }
        Fields metadata = pod.object("metadata");
        return List.of(new PolicyPod(
                name,
                uid(metadata),
                values.shared(node),
                values.shared(Map.copyOf(metadata.textMap("labels"))),
                addresses,
                values.shared(List.copyOf(ports(spec)))));
    }

    /** A runtime knows a static pod by the kubelet's own UID, which its mirror in the API names. */
    private static String uid(Fields metadata) {
        Map<String, String> annotations = metadata.textMap("annotations");
        return annotations.getOrDefault("kubernetes.io/config.mirror", metadata.text("uid"));
    }

    private static List<IpAddress> addresses(Fields status) {
        List<IpAddress> addresses = new ArrayList<>();
        status.objects("podIPs").forEach(each -> each.ip("ip").ifPresent(addresses::add));
        if (addresses.isEmpty() && status.has("podIP")) {
            status.ip("podIP").ifPresent(addresses::add);
        }
        return addresses;
    }

    /** Ports of init containers that keep running count too. */
    private static List<PolicyPod.NamedPort> ports(Fields spec) {
        List<Fields> containers = new ArrayList<>(spec.objects("containers"));
        spec.objects("initContainers").stream()
                .filter(each -> each.text("restartPolicy").equals("Always"))
                .forEach(containers::add);
        List<PolicyPod.NamedPort> ports = new ArrayList<>();
        for (Fields container : containers) {
            for (Fields port : container.objects("ports")) {
                if (port.has("name")) {
                    ports.add(new PolicyPod.NamedPort(
                            port.text("name"),
                            Protocol.valueOf(port.oneOf("protocol", PROTOCOLS)),
                            port.port("containerPort")));
                }
            }
        }
        return ports;
    }
}
