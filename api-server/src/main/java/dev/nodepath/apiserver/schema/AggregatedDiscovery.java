package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All groups in one document ({@code apidiscovery.k8s.io/v2 APIGroupDiscoveryList}). */
final class AggregatedDiscovery {
    private final Discovery discovery;

    AggregatedDiscovery(Discovery discovery) {
        this.discovery = discovery;
    }

    ObjectNode document(boolean core) {
        ObjectNode list = Json.MAPPER
                .createObjectNode()
                .put("kind", "APIGroupDiscoveryList")
                .put("apiVersion", "apidiscovery.k8s.io/v2");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        Map<String, ObjectNode> groups = new LinkedHashMap<>();
        for (Resource each : discovery.everyKind().toList()) {
            if (each.group().isEmpty() == core) {
                resource(
                        version(groups.computeIfAbsent(each.group(), name -> group(items.addObject(), each)), each),
                        each);
            }
        }
        return list;
    }

    /** A group without versions. */
    private static ObjectNode group(ObjectNode into, Resource member) {
        ObjectNode metadata = into.putObject("metadata");
        if (!member.group().isEmpty()) {
            metadata.put("name", member.group());
        }
        into.putArray("versions");
        return into;
    }

    /** The array for the kinds of a version; the first version is the preferred one. */
    private static ArrayNode version(ObjectNode group, Resource member) {
        ArrayNode versions = group.withArrayProperty("versions");
        for (JsonNode each : versions) {
            if (each.path("version").asText().equals(member.version())) {
                return (ArrayNode) each.path("resources");
            }
        }
        ObjectNode version = versions.addObject().put("version", member.version());
        ArrayNode resources = version.putArray("resources");
        version.put("freshness", "Current");
        return resources;
    }

    private void resource(ArrayNode into, Resource resource) {
        ObjectNode one = into.addObject().put("resource", resource.plural());
        kind(one, Discovery.kind(resource, ""));
        one.put("scope", resource.namespaced() ? "Namespaced" : "Cluster");
        one.put("singularResource", discovery.singular(resource));
        Discovery.verbs(resource, "").forEach(one.putArray("verbs")::add);
        if (!resource.shortNames().isEmpty()) {
            resource.shortNames().forEach(one.putArray("shortNames")::add);
        }
        if (!resource.categories().isEmpty()) {
            resource.categories().forEach(one.putArray("categories")::add);
        }
        if (!resource.subresources().isEmpty()) {
            ArrayNode parts = one.putArray("subresources");
            for (String part : resource.subresources()) {
                ObjectNode each = parts.addObject().put("subresource", part);
                kind(each, Discovery.kind(resource, part));
                Discovery.verbs(resource, part).forEach(each.putArray("verbs")::add);
            }
        }
    }

    private static void kind(ObjectNode into, List<String> kind) {
        into.putObject("responseKind")
                .put("group", kind.get(0))
                .put("version", kind.get(1))
                .put("kind", kind.get(2));
    }
}
