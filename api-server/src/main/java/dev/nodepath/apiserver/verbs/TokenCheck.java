package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.access.BearerToken;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.RequestHandler;
import java.util.List;
import java.util.Set;

/**
 * Lets in requests with a token. Only health and version need none.
 *
 * @param handler answers those
 * @param token of all clients
 */
public record TokenCheck(RequestHandler handler, BearerToken token) implements RequestHandler {
    private static final Set<String> OPEN = Set.of("healthz", "livez", "readyz", "version");

    @Override
    public ApiResponse answer(ApiRequest request) {
        boolean open = request.method().equals("GET")
                && !request.path().isEmpty()
                && OPEN.contains(request.path().get(0));
        return open || token.isIn(request.header("authorization"))
                ? handler.answer(request)
                : Answers.refusal(new StatusException(401, "Unauthorized", "Unauthorized", "", "", "", List.of()));
    }
}
