package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.StatusException.Cause;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.validation.ObjectField;
import dev.nodepath.apiserver.verbs.RoleRules.Found;
import dev.nodepath.apiserver.verbs.RoleRules.Given;
import dev.nodepath.apiserver.verbs.RoleRules.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Answers questions about a user's identity and rights. The owner of the token may do everything. A request may
 * impersonate another user, and a review may name one: roles decide the rights of such users. Roles only decide the
 * answers: all requests themselves are carried out.
 */
final class Reviews {
    private static final String ALL = "*";

    private final RoleRules roles;

    Reviews(ClusterApi api) {
        this.roles = new RoleRules(api);
    }

    /**
     * The kind of question in a request, or the kind Binding. Its path ends with the plural name, with or without a
     * namespace.
     */
    static Optional<Resource> asked(ApiRequest request) {
        List<String> path = request.path();
        int start = path.isEmpty() || path.get(0).equals("api") ? 2 : 3;
        boolean placed = path.size() == start + 3 && path.get(start).equals("namespaces");
        if (!request.method().equals("POST") || !(path.size() == start + 1 || placed)) {
            return Optional.empty();
        }
        String base = "/" + String.join("/", path.subList(0, start));
        return Resources.reviews().stream()
                .filter(each -> each.basePath().equals(base)
                        && each.plural().equals(path.get(path.size() - 1))
                        && each.namespaced() == placed)
                .findFirst();
    }

    ApiResponse answer(ApiRequest request, Resource resource) {
        if (!(ObjectBody.tree(request, resource.kind()) instanceof ObjectNode review)) {
            throw StatusException.badRequest("the body is no " + resource.kind());
        }
        ObjectBody.requireKind(review, resource.apiVersion(), resource.kind());
        review.put("apiVersion", resource.apiVersion()).put("kind", resource.kind());
        review.withObjectProperty("metadata");
        ObjectNode status = review.putObject("status");
        if (resource.kind().endsWith("AccessReview")) {
            check(resource, review, request);
        }
        ReviewedUser user = ReviewedUser.of(request);
        JsonNode spec = review.path("spec");
        switch (resource.kind()) {
            case "SelfSubjectReview" -> user.write(status.putObject("userInfo"));
            case "SelfSubjectRulesReview" -> rules(user, spec.path("namespace").asText(""), status);
            case "TokenReview" -> status.put("authenticated", false).put("error", "this cluster reviews no tokens");
            case "SelfSubjectAccessReview" -> access(user, spec, status);
            default -> access(ReviewedUser.of(spec), spec, status);
        }
        return Answers.tree(request, 201, review, List.of());
    }

    private static void check(Resource resource, ObjectNode review, ApiRequest request) {
        List<Cause> causes = new ArrayList<>();
        ObjectField spec = ObjectField.root(review, causes).at("spec");
        ObjectField asked = spec.at("resourceAttributes");
        ObjectField path = spec.at("nonResourceAttributes");
        if (asked.isPresent() && path.isPresent()) {
            path.invalid("cannot be specified in combination with resourceAttributes");
        } else if (!asked.isPresent() && !path.isPresent()) {
            asked.invalid("exactly one of nonResourceAttributes or resourceAttributes must be specified");
        }
        ObjectField user = spec.at("user");
        if (!resource.kind().startsWith("Self")
                && !user.isSet()
                && !spec.at("groups").isSet()) {
            user.invalid(user.text(), "at least one of user or group must be specified");
        }
        if (resource.namespaced()) {
            ObjectField namespace = asked.at("namespace");
            if (asked.isPresent() && !namespace.text().equals(request.path().get(4))) {
                namespace.invalid(namespace.text(), "must match metadata.namespace");
            }
            if (path.isPresent()) {
                path.invalid("disallowed on this kind of request");
            }
        }
        if (!causes.isEmpty()) {
            throw StatusException.invalid(resource, "", causes);
        }
    }

    private void access(ReviewedUser user, JsonNode spec, ObjectNode status) {
        Verdict verdict = user.isMaster()
                ? new Verdict(true, user.own() ? "this cluster's token may do everything" : "")
                : roles.judge(user, spec);
        status.put("allowed", verdict.allowed());
        if (!verdict.reason().isEmpty()) {
            status.put("reason", verdict.reason());
        }
    }

    private void rules(ReviewedUser user, String namespace, ObjectNode status) {
        status.put("incomplete", false);
        if (!user.isMaster()) {
            ArrayNode ofResources = status.putArray("resourceRules");
            ArrayNode ofPaths = status.putArray("nonResourceRules");
            Found found = roles.given(user, namespace);
            for (Given each : found.rules()) {
                if (!each.rule().path("resources").isEmpty()) {
                    ofResources.add(each.rule());
                }
                if (!each.rule().path("nonResourceURLs").isEmpty()) {
                    ofPaths.add(each.rule());
                }
            }
            if (!found.errors().isEmpty()) {
                status.put("evaluationError", found.error());
            }
            return;
        }
        ObjectNode resources = status.putArray("resourceRules").addObject();
        List.of("verbs", "apiGroups", "resources")
                .forEach(each -> resources.putArray(each).add(ALL));
        ObjectNode others = status.putArray("nonResourceRules").addObject();
        List.of("verbs", "nonResourceURLs")
                .forEach(each -> others.putArray(each).add(ALL));
    }
}
