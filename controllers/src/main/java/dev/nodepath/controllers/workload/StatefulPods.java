package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** The Pods of a StatefulSet: their names, and their own fields. */
final class StatefulPods {
    private StatefulPods() {}

    static NavigableMap<Integer, ObjectNode> byOrdinal(JsonNode set, Collection<ObjectNode> pods) {
        NavigableMap<Integer, ObjectNode> ordered = new TreeMap<>();
        pods.forEach(pod -> ordinal(set, pod).ifPresent(ordinal -> ordered.put(ordinal, pod)));
        return ordered;
    }

    /** Whether a Pod has one of the names of a set's Pods. */
    static boolean isMember(JsonNode set, JsonNode pod) {
        return ordinal(set, pod).isPresent();
    }

    /** The Pod of an ordinal, as a revision describes it. */
    static ObjectNode create(JsonNode set, JsonNode revision, int ordinal) {
        ObjectNode pod = PodFactory.fromTemplate(set, Revisions.template(revision));
        String name = Meta.name(set) + "-" + ordinal;
        pod.withObjectProperty("metadata").put("name", name);
        Meta.label(pod, "statefulset.kubernetes.io/pod-name", name);
        Meta.label(pod, "apps.kubernetes.io/pod-index", String.valueOf(ordinal));
        Meta.label(pod, Revisions.LABEL, Meta.name(revision));
        ObjectNode spec = pod.withObjectProperty("spec");
        spec.put("hostname", name);
        String service = set.path("spec").path("serviceName").asText("");
        if (!service.isEmpty()) {
            spec.put("subdomain", service);
        }
        claims(set, spec, name);
        return pod;
    }

    /** Each claim becomes a volume, and replaces a volume of the same name. */
    private static void claims(JsonNode set, ObjectNode spec, String pod) {
        Set<String> claims = new HashSet<>();
        ArrayNode volumes = spec.arrayNode();
        for (JsonNode claim : set.path("spec").path("volumeClaimTemplates")) {
            String name = Meta.name(claim);
            claims.add(name);
            volumes.addObject()
                    .put("name", name)
                    .putObject("persistentVolumeClaim")
                    .put("claimName", name + "-" + pod);
        }
        if (claims.isEmpty()) {
            return;
        }
        for (JsonNode volume : spec.path("volumes")) {
            if (!claims.contains(volume.path("name").asText())) {
                volumes.add(volume);
            }
        }
        spec.set("volumes", volumes);
    }

    /** The claims from a set's templates for the Pod of an ordinal. */
    static List<ObjectNode> claims(JsonNode set, int ordinal) {
        List<ObjectNode> claims = new ArrayList<>();
        for (JsonNode template : set.path("spec").path("volumeClaimTemplates")) {
            ObjectNode claim = JsonNodeFactory.instance.objectNode();
            claim.set("metadata", template.path("metadata").deepCopy());
            claim.set("spec", template.path("spec").deepCopy());
            claim.withObjectProperty("metadata")
                    .put("name", Meta.name(template) + "-" + Meta.name(set) + "-" + ordinal)
                    .put("namespace", Meta.namespace(set));
            set.path("spec")
                    .path("selector")
                    .path("matchLabels")
                    .properties()
                    .forEach(label ->
                            Meta.label(claim, label.getKey(), label.getValue().asText()));
            if (ClaimRetention.deletes(set, "whenDeleted")) {
                Owners.control(claim, set);
            }
            claims.add(claim);
        }
        return claims;
    }

    /** The name of a Pod's revision. */
    static String revision(JsonNode pod) {
        return Meta.labels(pod).path(Revisions.LABEL).asText("");
    }

    private static OptionalInt ordinal(JsonNode set, JsonNode pod) {
        String prefix = Meta.name(set) + "-";
        String name = Meta.name(pod);
        String rest = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
        return rest.matches("0|[1-9]\\d{0,8}") ? OptionalInt.of(Integer.parseInt(rest)) : OptionalInt.empty();
    }
}
