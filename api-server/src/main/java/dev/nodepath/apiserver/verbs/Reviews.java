package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import java.util.Optional;

/**
 * Answers who somebody is and what he may. Whoever has the token may do everything. A request may act as another, and a
 * review may name one: of them roles say what they may. Only answers follow roles: all requests are done.
 */
final class Reviews {
    private static final String ALL = "*";

    private final RoleRules roles;

    Reviews(ClusterApi api) {
        this.roles = new RoleRules(api);
    }

    /** The kind of question that a request asks: its path has the plural last, below a namespace or not. */
    static Optional<Resource> asked(ApiRequest request) {
        List<String> path = request.path();
        boolean placed = path.size() == 6 && path.get(3).equals("namespaces");
        if (!request.method().equals("POST")
                || !(path.size() == 4 || placed)
                || !path.get(0).equals("apis")) {
            return Optional.empty();
        }
        return Resources.reviews().stream()
                .filter(each -> each.group().equals(path.get(1))
                        && each.version().equals(path.get(2))
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

    private void access(ReviewedUser user, JsonNode spec, ObjectNode status) {
        if (user.isMaster()) {
            status.put("allowed", true).put("reason", "this cluster's token may do everything");
            return;
        }
        Optional<String> source = roles.allow(user, spec);
        status.put("allowed", source.isPresent());
        source.ifPresent(binding -> status.put("reason", "RBAC: allowed by " + binding));
    }

    private void rules(ReviewedUser user, String namespace, ObjectNode status) {
        status.put("incomplete", false);
        if (!user.isMaster()) {
            ArrayNode ofResources = status.putArray("resourceRules");
            ArrayNode ofPaths = status.putArray("nonResourceRules");
            roles.given(user, namespace)
                    .forEach(each -> (each.rule().has("nonResourceURLs") ? ofPaths : ofResources).add(each.rule()));
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
