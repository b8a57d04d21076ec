package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Services of manifests without rules of a proxy, or with rules that lead to no endpoint. */
public final class ServiceGaps {
    private ServiceGaps() {}

    /**
     * A line for each, with its reason, in the order of the files.
     *
     * @param snapshot of the same manifests
     * @param family of the rules
     */
    public static List<String> of(Manifests manifests, ServiceSnapshot snapshot, IpFamily family) {
        Map<NamespacedName, List<ServicePort>> served = snapshot.services().values().stream()
                .collect(Collectors.groupingBy(port -> port.name().service()));
        List<String> gaps = new ArrayList<>();
        for (ManifestObject object : manifests.objects("Service")) {
            NamespacedName name = new NamespacedName(object.namespace(), object.name());
            List<ServicePort> ports = served.getOrDefault(name, List.of());
            if (ports.isEmpty()) {
                gaps.add("Service " + name + ": no rules: " + reason(object.json()));
            } else if (ports.get(0).clusterIps(family).isEmpty()) {
                gaps.add("Service " + name + ": no rules: it has no " + family + " address");
            } else {
                ports.stream()
                        .filter(port -> snapshot.endpoints(port.name(), family).stream()
                                .noneMatch(endpoint -> endpoint.ready() || endpoint.serving()))
                        .map(port -> "Service " + port.name() + ": no " + family
                                + " endpoint that is ready: its traffic is rejected")
                        .forEach(gaps::add);
            }
        }
        return gaps;
    }

    private static String reason(JsonNode service) {
        JsonNode labels = service.path("metadata").path("labels");
        for (String label : List.of(ServiceLabels.PROXY_NAME, ServiceLabels.HEADLESS)) {
            if (labels.has(label)) {
                return "its label " + label + " tells proxies to leave it alone";
            }
        }
        JsonNode spec = service.path("spec");
        if (spec.path("type").asText().equals("ExternalName")) {
            return "its type is ExternalName: it is a name in DNS alone";
        }
        String address =
                spec.path("clusterIP").asText(spec.path("clusterIPs").path(0).asText());
        return switch (address) {
            case "None" -> "it is headless: DNS names its endpoints";
            case "" -> "spec.clusterIP: missing (expected: an address, which a cluster would assign)";
            default -> "spec.ports: none";
        };
    }
}
