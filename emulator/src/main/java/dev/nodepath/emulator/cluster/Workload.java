package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.ClusterSchema;
import dev.nodepath.endpoints.source.ManifestObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Creates the objects of manifests, as {@code kubectl create -f} does. */
final class Workload {
    private static final ClusterSchema SCHEMA = new ClusterSchema();

    private Workload() {}

    /**
     * Creates them in their order, but Namespaces, CustomResourceDefinitions and objects that a Pod refers to come
     * first. Only a Service keeps its status: no controller here would set the addresses of a load balancer.
     *
     * @return the problem of each object that was refused or has fields that its kind does not have, with file and line
     */
    static List<String> create(ClusterApi api, List<ManifestObject> objects) {
        List<String> problems = new ArrayList<>();
        List<ManifestObject> sorted = objects.stream()
                .sorted(Comparator.comparing((ManifestObject object) -> !object.is("", "Namespace"))
                        .thenComparing(object -> !isDefinition(object))
                        .thenComparing(object -> !isOfPods(object)))
                .toList();
        for (ManifestObject object : sorted) {
            String place = object.origin().file() + ": line " + object.line("") + ": ";
            try {
                Optional<Resource> resource = api.kinds().ofKind(object.apiVersion(), object.kind());
                if (resource.isEmpty()) {
                    throw noMatch(object);
                }
                for (String unknown : SCHEMA.unknownFields(resource.get(), object.json())) {
                    problems.add(place + object.kind() + " \"" + object.name() + "\": " + unknown);
                }
                create(api, resource.get(), object);
            } catch (StatusException e) {
                problems.add(place + e.getMessage());
            }
        }
        return problems;
    }

    /** Whether the object defines a kind. */
    static boolean isDefinition(ManifestObject object) {
        return object.is(Resources.CUSTOM_RESOURCE_DEFINITIONS.group(), "CustomResourceDefinition");
    }

    /** Whether a Pod that names this object is refused without it. */
    private static boolean isOfPods(ManifestObject object) {
        return object.is(Resources.SERVICE_ACCOUNTS.group(), "ServiceAccount")
                || object.is(Resources.PRIORITY_CLASSES.group(), "PriorityClass");
    }

    private static StatusException noMatch(ManifestObject object) {
        return StatusException.badRequest(
                "no matches for kind \"" + object.kind() + "\" in version \"" + object.apiVersion()
                        + "\" (expected: a kind of Kubernetes 1.36, or one that a CustomResourceDefinition makes)");
    }

    private static void create(ClusterApi api, Resource resource, ManifestObject object) {
        ObjectNode created = object.json().deepCopy();
        if (resource.namespaced()) {
            created.withObjectProperty("metadata").put("namespace", object.namespace());
        }
        JsonNode status = created.remove("status");
        api.create(resource, created);
        if (resource.equals(Resources.SERVICES) && status != null) {
            api.modify(Resources.SERVICES, ObjectKey.of(created), "status", service -> service.set("status", status));
        }
    }
}
