package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.access.ServiceAccountToken;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.ResourcePath;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The subresource {@code token} of ServiceAccounts. */
final class TokenVerb {
    private static final long SECONDS = 3600;
    private static final String WARNING = "TokenRequest: this API server does not accept the token that it gives here";

    private final ClusterApi api;
    private final InstantSource clock;

    TokenVerb(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    ApiResponse create(ApiRequest request, ResourcePath path) {
        ObjectNode account = api.get(path.resource(), path.key());
        if (!(ObjectBody.tree(request, "TokenRequest") instanceof ObjectNode answer)) {
            throw StatusException.badRequest("the body is no TokenRequest");
        }
        ObjectBody.requireKind(answer, "authentication.k8s.io/v1", "TokenRequest");
        ObjectNode spec = answer.withObjectProperty("spec");
        long seconds = spec.path("expirationSeconds").asLong(SECONDS);
        if (seconds < ServiceAccountToken.SECONDS_MIN || seconds > ServiceAccountToken.SECONDS_MAX) {
            throw StatusException.badRequest("TokenRequest: spec.expirationSeconds: Invalid value: " + seconds
                    + ": must be from 600 to " + ServiceAccountToken.SECONDS_MAX + " seconds");
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        if (spec.path("audiences").isEmpty()) {
            spec.putArray("audiences").add(ServiceAccountToken.ISSUER);
        }
        List<String> audiences = new ArrayList<>();
        spec.path("audiences").forEach(audience -> audiences.add(audience.asText()));
        ServiceAccountToken token =
                new ServiceAccountToken(account, audiences, now, Duration.ofSeconds(seconds), Optional.empty());
        spec.put("expirationSeconds", seconds);
        answer.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
        answer.putObject("metadata").put("name", path.name()).put("namespace", path.namespace());
        answer.putObject("status")
                .put("token", token.text())
                .put("expirationTimestamp", now.plusSeconds(seconds).toString());
        return Answers.tree(request, 201, answer, List.of(WARNING));
    }
}
