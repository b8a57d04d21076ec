package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import java.util.Optional;

/** Answers who somebody is and what he may: whoever has the token may do everything. */
final class Reviews {
    private static final String ALL = "*";

    private Reviews() {}

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

    static ApiResponse answer(ApiRequest request, Resource resource) {
        if (!(ObjectBody.tree(request, resource.kind()) instanceof ObjectNode review)) {
            throw StatusException.badRequest("the body is no " + resource.kind());
        }
        ObjectBody.requireKind(review, resource.apiVersion(), resource.kind());
        review.put("apiVersion", resource.apiVersion()).put("kind", resource.kind());
        review.withObjectProperty("metadata");
        ObjectNode status = review.putObject("status");
        switch (resource.kind()) {
            case "SelfSubjectReview" -> user(status.putObject("userInfo"));
            case "SelfSubjectRulesReview" -> rules(status);
            case "TokenReview" -> status.put("authenticated", false).put("error", "this cluster reviews no tokens");
            default -> status.put("allowed", true).put("reason", "this cluster's token may do everything");
        }
        return Answers.tree(request, 201, review, List.of());
    }

    private static void user(ObjectNode user) {
        user.put("username", "kubernetes-admin");
        user.putArray("groups").add("system:masters").add("system:authenticated");
    }

    private static void rules(ObjectNode status) {
        status.put("incomplete", false);
        ObjectNode resources = status.putArray("resourceRules").addObject();
        List.of("verbs", "apiGroups", "resources")
                .forEach(each -> resources.putArray(each).add(ALL));
        ObjectNode others = status.putArray("nonResourceRules").addObject();
        List.of("verbs", "nonResourceURLs")
                .forEach(each -> others.putArray(each).add(ALL));
    }
}
