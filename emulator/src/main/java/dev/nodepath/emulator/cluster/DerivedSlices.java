package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.endpoints.EndpointSliceBuilder;
import dev.nodepath.endpoints.source.ManifestObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a cluster would add to manifests, by the builder of its controller.
 *
 * @param slices EndpointSlices of the Services that have Pods and no slices
 * @param problems a line for each Pod that cannot be an endpoint
 */
public record DerivedSlices(List<ManifestObject> slices, List<String> problems) {
    /** No later change of the lists has an effect. */
    public DerivedSlices {
        slices = List.copyOf(slices);
        problems = List.copyOf(problems);
    }

    /** Those for the objects of all manifests; nothing where there are no Pods. */
    public static DerivedSlices of(List<ManifestObject> objects) {
        List<ObjectNode> pods = of(objects, "Pod").stream()
                .map(DerivedSlices::withNamespace)
                .map(DerivedSlices::ready)
                .toList();
        Map<String, ObjectNode> nodes = of(objects, "Node").stream()
                .collect(Collectors.toMap(
                        ManifestObject::name, node -> (ObjectNode) node.json(), (first, second) -> first));
        Set<String> served = objects.stream()
                .filter(each -> each.is("discovery.k8s.io", "EndpointSlice"))
                .map(each -> each.namespace() + "/"
                        + each.json()
                                .at("/metadata/labels")
                                .path(EndpointSliceBuilder.SERVICE_NAME)
                                .asText())
                .collect(Collectors.toSet());
        List<ManifestObject> slices = new ArrayList<>();
        Set<String> problems = new LinkedHashSet<>();
        for (ManifestObject service : of(objects, "Service")) {
            if (!pods.isEmpty() && !served.contains(service.namespace() + "/" + service.name())) {
                ObjectNode json = withNamespace(service);
                EndpointSliceBuilder.build(json, pods, name -> Optional.ofNullable(nodes.get(name)))
                        .forEach(slice -> slices.add(object(slice, service)));
                if (!json.at("/spec/selector").isEmpty()) {
                    EndpointSliceBuilder.selected(json, pods).stream()
                            .filter(pod -> !hasAddress(pod))
                            .forEach(pod -> problems.add(problem(pod)));
                }
            }
        }
        return new DerivedSlices(slices, List.copyOf(problems));
    }

    private static List<ManifestObject> of(List<ManifestObject> objects, String kind) {
        return objects.stream().filter(each -> each.is("", kind)).toList();
    }

    private static ObjectNode withNamespace(ManifestObject object) {
        ObjectNode json = object.json().deepCopy();
        json.withObjectProperty("metadata").put("namespace", object.namespace());
        return json;
    }

    /** A Pod of a file is ready unless it says otherwise: in a cluster it soon is. */
    private static ObjectNode ready(ObjectNode pod) {
        if (pod.path("status").path("conditions").isEmpty()) {
            pod.withObjectProperty("status")
                    .withArrayProperty("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", "True");
        }
        return pod;
    }

    private static boolean hasAddress(JsonNode pod) {
        return !pod.at("/status/podIP").asText("").isEmpty()
                || !pod.at("/status/podIPs").isEmpty();
    }

    private static String problem(JsonNode pod) {
        return "Pod " + pod.at("/metadata/namespace").asText() + "/"
                + pod.at("/metadata/name").asText()
                + ": status.podIP: missing (expected: an address, as a running Pod has one); it is no endpoint here";
    }

    private static ManifestObject object(ObjectNode slice, ManifestObject service) {
        return new ManifestObject(
                "discovery.k8s.io/v1",
                "EndpointSlice",
                service.namespace(),
                slice.at("/metadata/name").asText(),
                slice,
                service.origin());
    }
}
