package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A user's rights by RBAC's roles and bindings (Kubernetes' page "Using RBAC Authorization"). */
final class RoleRules {
    private static final String VERSION = "rbac.authorization.k8s.io/v1";
    private static final String CLUSTER_ROLE = "ClusterRole";

    private final ClusterApi api;

    RoleRules(ClusterApi api) {
        this.api = api;
    }

    /**
     * A rule that a binding gives to a user.
     *
     * @param source the binding, in Kubernetes' words
     */
    record Given(JsonNode rule, String source) {}

    /**
     * The rules of a user.
     *
     * @param errors missing roles that the user's bindings name, in Kubernetes' words
     */
    record Found(List<Given> rules, Set<String> errors) {
        /** All errors as one; empty if there is none. */
        String error() {
            String all = String.join(", ", errors);
            return errors.size() > 1 ? "[" + all + "]" : all;
        }
    }

    /** Whether a user may do something. The reason may be empty. */
    record Verdict(boolean allowed, String reason) {}

    /** Whether some binding allows the action of a review. */
    Verdict judge(ReviewedUser user, JsonNode spec) {
        JsonNode asked = spec.path("resourceAttributes");
        JsonNode path = spec.path("nonResourceAttributes");
        Found found = given(user, asked.path("namespace").asText(""));
        return found.rules().stream()
                .filter(each -> asked.isObject() ? allows(each.rule(), asked) : allowsPath(each.rule(), path))
                .findFirst()
                .map(each -> new Verdict(true, "RBAC: allowed by " + each.source()))
                .orElseGet(() -> new Verdict(false, found.errors().isEmpty() ? "" : "RBAC: " + found.error()));
    }

    /** The rules of all bindings of a user: those of the cluster and those of a namespace. */
    Found given(ReviewedUser user, String namespace) {
        Found found = new Found(new ArrayList<>(), new LinkedHashSet<>());
        add(found, user, "ClusterRoleBinding", "");
        if (!namespace.isEmpty()) {
            add(found, user, "RoleBinding", namespace);
        }
        return found;
    }

    private void add(Found found, ReviewedUser user, String kind, String namespace) {
        for (ObjectNode binding : api.list(resource(kind), namespace).objects()) {
            Optional<JsonNode> subject = binding.path("subjects")
                    .valueStream()
                    .filter(each -> user.is(each, namespace))
                    .findFirst();
            if (subject.isPresent()) {
                String source = source(binding, kind, namespace, subject.get());
                role(binding, namespace)
                        .ifPresentOrElse(
                                role -> role.path("rules")
                                        .forEach(rule -> found.rules().add(new Given(rule, source))),
                                () -> found.errors().add(missing(binding.path("roleRef"))));
            }
        }
    }

    private static String missing(JsonNode reference) {
        return reference.path("kind").asText().toLowerCase(Locale.ROOT) + ".rbac.authorization.k8s.io \""
                + reference.path("name").asText() + "\" not found";
    }

    private Optional<ObjectNode> role(JsonNode binding, String namespace) {
        JsonNode reference = binding.path("roleRef");
        String kind = reference.path("kind").asText().equals(CLUSTER_ROLE) ? CLUSTER_ROLE : "Role";
        String place = kind.equals(CLUSTER_ROLE) ? "" : namespace;
        return api.find(
                resource(kind), new ObjectKey(place, reference.path("name").asText()));
    }

    private Resource resource(String kind) {
        return api.kinds().ofKind(VERSION, kind).orElseThrow();
    }

    private static String source(JsonNode binding, String kind, String namespace, JsonNode subject) {
        String name = binding.path("metadata").path("name").asText() + (namespace.isEmpty() ? "" : "/" + namespace);
        String of = subject.path("kind").asText();
        String who = subject.path("name").asText()
                + (of.equals("ServiceAccount") ? "/" + subject.path("namespace").asText(namespace) : "");
        JsonNode role = binding.path("roleRef");
        return kind + " \"" + name + "\" of " + role.path("kind").asText() + " \""
                + role.path("name").asText() + "\" to " + of + " \"" + who + "\"";
    }

    private static boolean allows(JsonNode rule, JsonNode asked) {
        String resource = asked.path("resource").asText();
        String part = asked.path("subresource").asText("");
        String whole = part.isEmpty() ? resource : resource + "/" + part;
        JsonNode names = rule.path("resourceNames");
        return has(rule.path("verbs"), asked.path("verb").asText())
                && has(rule.path("apiGroups"), asked.path("group").asText(""))
                && (has(rule.path("resources"), whole)
                        || (!part.isEmpty() && lists(rule.path("resources"), "*/" + part)))
                && (names.isEmpty() || lists(names, asked.path("name").asText("")));
    }

    private static boolean allowsPath(JsonNode rule, JsonNode asked) {
        String path = asked.path("path").asText();
        return has(rule.path("verbs"), asked.path("verb").asText())
                && rule.path("nonResourceURLs")
                        .valueStream()
                        .map(JsonNode::asText)
                        .anyMatch(each -> each.equals(path)
                                || (each.endsWith("*") && path.startsWith(each.substring(0, each.length() - 1))));
    }

    private static boolean has(JsonNode list, String text) {
        return lists(list, "*") || lists(list, text);
    }

    private static boolean lists(JsonNode list, String text) {
        return list.valueStream().anyMatch(each -> each.asText().equals(text));
    }
}
