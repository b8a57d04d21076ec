package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The CustomResourceDefinition of {@code ClusterNetworkPolicy} (sigs.k8s.io/network-policy-api, v1alpha2, experimental
 * channel). The cluster acts on this kind, so its objects must obey this schema, even if the user has replaced the
 * definition by another.
 */
public final class ClusterPolicyDefinition {
    /** The kind. */
    public static final Resource RESOURCE = new Resource(
            "policy.networking.k8s.io",
            "v1alpha2",
            "clusternetworkpolicies",
            "ClusterNetworkPolicy",
            false,
            List.of("cnp"),
            List.of("status"),
            List.of());

    private static final ObjectNode DEFINITION = read();

    private ClusterPolicyDefinition() {}

    /** A new copy of the definition, to be created in a cluster. */
    public static ObjectNode definition() {
        return DEFINITION.deepCopy();
    }

    /** The definition's schema ({@code openAPIV3Schema}); not to be changed. */
    public static JsonNode schema() {
        return DEFINITION.at("/spec/versions/0/schema/openAPIV3Schema");
    }

    /** Whether a kind has this name and version. A user may have defined it anew. */
    public static boolean isOf(Resource resource) {
        return resource.apiVersion().equals(RESOURCE.apiVersion())
                && resource.kind().equals(RESOURCE.kind());
    }

    /** Whether a definition defines this kind. */
    public static boolean isOf(JsonNode definition) {
        return definition
                .at("/metadata/name")
                .asText()
                .equals(DEFINITION.at("/metadata/name").asText());
    }

    private static ObjectNode read() {
        String file = "clusternetworkpolicies.json";
        try (InputStream in = ClusterPolicyDefinition.class.getResourceAsStream(file)) {
            ObjectNode tree = (ObjectNode) new ObjectMapper().readTree(Objects.requireNonNull(in, file));
            JsonNode parts = tree.remove("parts");
            return (ObjectNode) resolved(tree, parts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file has named parts for repeated use ({@code use}). */
    private static JsonNode resolved(JsonNode value, JsonNode parts) {
        if (value.has("use")) {
            return resolved(parts.path(value.path("use").asText()), parts);
        }
        if (value instanceof ObjectNode object) {
            ObjectNode copy = object.objectNode();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                copy.set(field.getKey(), resolved(field.getValue(), parts));
            }
            return copy;
        }
        if (value instanceof ArrayNode list) {
            ArrayNode copy = list.arrayNode();
            list.forEach(each -> copy.add(resolved(each, parts)));
            return copy;
        }
        return value;
    }
}
