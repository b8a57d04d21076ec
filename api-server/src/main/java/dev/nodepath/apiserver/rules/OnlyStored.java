package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Kinds without effect in this cluster, or with less than elsewhere, in words for the creator of an object. */
final class OnlyStored {
    private static final String WORDS = ": stored; nothing in this cluster acts on it";
    private static final String IGNORED = ": this cluster ignores this field";
    private static final String ROLE_WORDS = ": stored; reviews such as kubectl auth can-i follow it, requests do not";

    private OnlyStored() {}

    static List<String> of(Resource resource, JsonNode object) {
        if (resource.equals(Resources.CUSTOM_RESOURCE_DEFINITIONS)) {
            return ClusterPolicyDefinition.isOf(object) ? List.of() : definition(object.path("spec"));
        }
        if (resource.equals(Resources.SECRETS) && isToBeFilled(object)) {
            return List.of("type: this cluster puts no token into Secrets");
        }
        if (resource.group().equals("rbac.authorization.k8s.io")) {
            return List.of(resource.kind() + ROLE_WORDS);
        }
        return Resources.isOnlyStored(resource) ? List.of(resource.kind() + WORDS) : List.of();
    }

    /** Kubernetes puts a token of the named ServiceAccount into the Secret. */
    private static boolean isToBeFilled(JsonNode secret) {
        return secret.path("type").asText().equals("kubernetes.io/service-account-token")
                && !secret.path("data").has("token")
                && !secret.path("stringData").has("token");
    }

    /** This warns once about the kind, not about each object: a program of the user may act on them. */
    private static List<String> definition(JsonNode spec) {
        List<String> warnings = new ArrayList<>();
        warnings.add(spec.path("names").path("kind").asText() + WORDS);
        if (spec.path("conversion").path("strategy").asText().equals("Webhook")) {
            warnings.add("spec.conversion: this cluster calls no webhook; versions differ in apiVersion alone");
        }
        for (int i = 0; i < spec.path("versions").size(); i++) {
            version(spec.path("versions").path(i), "spec.versions[" + i + "].", warnings);
        }
        return warnings;
    }

    private static void version(JsonNode version, String path, List<String> warnings) {
        if (version.path("deprecated").asBoolean()) {
            warnings.add(path + "deprecated" + IGNORED);
        }
        if (!version.path("selectableFields").isEmpty()) {
            warnings.add(path + "selectableFields" + IGNORED);
        }
        for (String keyword : List.of("default", "x-kubernetes-validations")) {
            String schema = "schema.openAPIV3Schema";
            find(version.path("schema").path("openAPIV3Schema"), keyword, path + schema)
                    .ifPresent(found -> warnings.add(found + IGNORED));
        }
    }

    /** The first place of a schema with a keyword; a property may have the same name. */
    private static Optional<String> find(JsonNode schema, String keyword, String path) {
        if (schema.has(keyword)) {
            return Optional.of(path + "." + keyword);
        }
        Stream<Optional<String>> properties = schema.path("properties").properties().stream()
                .map(each -> find(each.getValue(), keyword, path + ".properties[" + each.getKey() + "]"));
        Stream<Optional<String>> nested = Stream.of("items", "additionalProperties")
                .filter(schema::has)
                .map(each -> find(schema.path(each), keyword, path + "." + each));
        return Stream.concat(properties, nested).flatMap(Optional::stream).findFirst();
    }
}
