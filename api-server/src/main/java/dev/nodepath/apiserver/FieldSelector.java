package dev.nodepath.apiserver;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses objects by fields: {@code a=b}, {@code a==b}, {@code a!=b}, joined by commas. Each kind has the fields that
 * Kubernetes supports for it.
 */
public final class FieldSelector {
    private static final Set<String> EVERY_KIND = Set.of("metadata.name", "metadata.namespace");
    private static final Map<Resource, Set<String>> MORE = Map.ofEntries(
            entry(
                    Resources.PODS,
                    Set.of(
                            "spec.nodeName",
                            "spec.restartPolicy",
                            "spec.schedulerName",
                            "spec.serviceAccountName",
                            "spec.hostNetwork",
                            "status.phase",
                            "status.podIP",
                            "status.nominatedNodeName")),
            entry(
                    Resources.EVENTS,
                    Set.of(
                            "involvedObject.kind",
                            "involvedObject.namespace",
                            "involvedObject.name",
                            "involvedObject.uid",
                            "involvedObject.apiVersion",
                            "involvedObject.resourceVersion",
                            "involvedObject.fieldPath",
                            "reason",
                            "reportingComponent",
                            "source",
                            "type")),
            entry(Resources.NODES, Set.of("spec.unschedulable")),
            entry(Resources.NAMESPACES, Set.of("status.phase")),
            entry(Resources.SECRETS, Set.of("type")),
            entry(Resources.SERVICES, Set.of("spec.clusterIP", "spec.type")),
            entry(Resources.REPLICA_SETS, Set.of("status.replicas")),
            entry(Resources.JOBS, Set.of("status.successful")),
            entry(Resources.CERTIFICATE_REQUESTS, Set.of("spec.signerName")),
            entry(Resources.REPLICATION_CONTROLLERS, Set.of("status.replicas")));

    /** The value of an absent field, if it is not the empty text. */
    private static final Map<String, String> ABSENT = Map.of(
            "spec.unschedulable",
            "false",
            "spec.hostNetwork",
            "false",
            "status.replicas",
            "0",
            "status.successful",
            "0");

    /** Fields at another place of the object. */
    private static final Map<String, String> PLACES =
            Map.of("source", "source.component", "status.successful", "status.succeeded");

    private FieldSelector() {}

    /**
     * Reads a selector. Empty text chooses all.
     *
     * @throws StatusException 400 if it is no selector, or names a field that is not supported for this kind
     */
    public static ObjectSelector parse(Resource resource, String text) {
        if (text.isBlank()) {
            return ObjectSelector.ALL;
        }
        List<ObjectSelector> all = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                ObjectSelector.requireFew(all.size());
                all.add(requirement(resource, text, part.trim()));
            }
        }
        return all.stream().reduce(ObjectSelector.ALL, ObjectSelector::and);
    }

    private static ObjectSelector requirement(Resource resource, String text, String part) {
        int equals = part.indexOf('=');
        if (equals <= 0) {
            throw StatusException.badRequest("invalid selector: '" + text + "'; can't understand '" + part + "'");
        }
        boolean not = part.charAt(equals - 1) == '!';
        String field = part.substring(0, not ? equals - 1 : equals).trim();
        boolean doubled = part.startsWith("==", equals);
        String value = part.substring(equals + (doubled ? 2 : 1)).trim();
        if (!EVERY_KIND.contains(field)
                && !MORE.getOrDefault(resource, Set.of()).contains(field)) {
            throw StatusException.badRequest(unknown(resource, field));
        }
        String[] path = PLACES.getOrDefault(field, field).split("\\.", -1);
        return object -> valueAt(object, path, field).equals(value) != not;
    }

    /** kubectl itself names the kind before this text. */
    private static String unknown(Resource resource, String field) {
        if (resource.equals(Resources.JOBS)) {
            return "field label \"" + field + "\" not supported for Job";
        }
        return MORE.containsKey(resource)
                ? "field label not supported: " + field
                : "\"" + field + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    }

    private static String valueAt(JsonNode object, String[] path, String field) {
        JsonNode node = object;
        for (String step : path) {
            node = node.path(step);
        }
        return node.asText(ABSENT.getOrDefault(field, ""));
    }
}
