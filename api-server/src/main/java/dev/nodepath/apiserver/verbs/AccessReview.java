package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import java.util.List;

/** Answers {@code kubectl auth can-i}: whoever has the token may do everything. */
final class AccessReview {
    static final List<String> PATH = List.of("apis", "authorization.k8s.io", "v1", "selfsubjectaccessreviews");

    private AccessReview() {}

    static ApiResponse answer(ApiRequest request) {
        if (!(ObjectBody.tree(request, "SelfSubjectAccessReview") instanceof ObjectNode review)) {
            throw StatusException.badRequest("the body is no SelfSubjectAccessReview");
        }
        ObjectBody.requireKind(review, "authorization.k8s.io/v1", "SelfSubjectAccessReview");
        review.putObject("status").put("allowed", true).put("reason", "this cluster's token may do everything");
        return Answers.tree(request, 201, review, List.of());
    }
}
