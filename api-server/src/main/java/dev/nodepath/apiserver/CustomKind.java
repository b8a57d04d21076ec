package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resource;
import java.util.ArrayList;
import java.util.List;

/**
 * A served version of a kind that a CustomResourceDefinition defines.
 *
 * @param resource the kind in this version
 * @param stored the kind in the version of its stored objects
 * @param singular such as {@code crontab}
 * @param schema the definition's schema of the fields ({@code openAPIV3Schema}); missing without one
 * @param columns {@code additionalPrinterColumns}
 * @param definition the version of the definition's last change
 * @param terminating whether the definition is being deleted
 */
public record CustomKind(
        Resource resource,
        Resource stored,
        String singular,
        JsonNode schema,
        JsonNode columns,
        String definition,
        boolean terminating) {
    /** It keeps a definition until its objects are gone. */
    public static final String FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

    /** The versions that a definition serves; none until its names are accepted. */
    static List<CustomKind> of(JsonNode definition, String storedVersion) {
        List<CustomKind> kinds = new ArrayList<>();
        if (!ConditionList.isTrue(definition, "Established")) {
            return kinds;
        }
        for (JsonNode version : definition.path("spec").path("versions")) {
            if (version.path("served").asBoolean()) {
                JsonNode metadata = definition.path("metadata");
                kinds.add(new CustomKind(
                        resource(definition, version.path("name").asText(), version),
                        resource(definition, storedVersion, MissingNode.getInstance()),
                        names(definition).path("singular").asText(),
                        version.path("schema").path("openAPIV3Schema"),
                        version.path("additionalPrinterColumns"),
                        metadata.path("resourceVersion").asText(),
                        metadata.has("deletionTimestamp")));
            }
        }
        return kinds;
    }

    /** The version in which a definition stores objects. */
    static String storageVersion(JsonNode definition) {
        for (JsonNode version : definition.path("spec").path("versions")) {
            if (version.path("storage").asBoolean()) {
                return version.path("name").asText();
            }
        }
        return "";
    }

    private static Resource resource(JsonNode definition, String version, JsonNode declared) {
        JsonNode spec = definition.path("spec");
        JsonNode names = names(definition);
        List<String> subresources = new ArrayList<>();
        for (String part : List.of("status", "scale")) {
            if (declared.path("subresources").has(part)) {
                subresources.add(part);
            }
        }
        return new Resource(
                spec.path("group").asText(),
                version,
                names.path("plural").asText(),
                names.path("kind").asText(),
                spec.path("scope").asText().equals("Namespaced"),
                texts(names.path("shortNames")),
                subresources,
                texts(names.path("categories")));
    }

    private static JsonNode names(JsonNode definition) {
        return definition.path("status").path("acceptedNames");
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
