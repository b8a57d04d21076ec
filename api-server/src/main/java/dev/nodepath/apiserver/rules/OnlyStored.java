package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;

/**
 * Kinds on which this cluster does not act, or less than others do, in words for the user who creates an object.
 */
final class OnlyStored {
    private static final String WORDS = ": stored; nothing in this cluster acts on it";
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

    /** Kubernetes makes a token for the ServiceAccount that the Secret names. */
    private static boolean isToBeFilled(JsonNode secret) {
        return secret.path("type").asText().equals("kubernetes.io/service-account-token")
                && !secret.path("data").has("token")
                && !secret.path("stringData").has("token");
    }

    /** Said once of the kind, not with each object of it: a program of the user may act on them. */
    private static List<String> definition(JsonNode spec) {
        List<String> warnings = new ArrayList<>();
        warnings.add(spec.path("names").path("kind").asText() + WORDS);
        if (spec.path("conversion").path("strategy").asText().equals("Webhook")) {
            warnings.add("spec.conversion: this cluster calls no webhook; versions differ in apiVersion alone");
        }
        return warnings;
    }
}
