package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.ResourcePath;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;

/**
 * The subresource {@code token} of ServiceAccounts. A token has the form and the claims of Kubernetes' (a JSON Web
 * Token), and a signature that nobody checks: this server knows one token alone.
 */
final class TokenVerb {
    private static final long SECONDS_MIN = 600;
    private static final long SECONDS_MAX = 1L << 32;
    private static final long SECONDS = 3600;
    private static final int SIGNATURE_OCTETS = 32;
    private static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
    private static final String WARNING = "TokenRequest: this API server does not accept the token that it gives here";

    private final ClusterApi api;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    TokenVerb(ClusterApi api, Clock clock) {
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
        if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
            throw StatusException.badRequest("TokenRequest: spec.expirationSeconds: Invalid value: " + seconds
                    + ": must be from 600 to " + SECONDS_MAX + " seconds");
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        if (spec.path("audiences").isEmpty()) {
            spec.putArray("audiences").add(ISSUER);
        }
        spec.put("expirationSeconds", seconds);
        answer.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
        answer.putObject("metadata").put("name", path.name()).put("namespace", path.namespace());
        answer.putObject("status")
                .put("token", token(path, account, spec.path("audiences"), now, seconds))
                .put("expirationTimestamp", now.plusSeconds(seconds).toString());
        return Answers.tree(request, 201, answer, List.of(WARNING));
    }

    private String token(ResourcePath path, ObjectNode account, JsonNode audiences, Instant now, long seconds) {
        ObjectNode claims = JsonNodeFactory.instance.objectNode();
        claims.set("aud", audiences);
        claims.put("exp", now.plusSeconds(seconds).getEpochSecond())
                .put("iat", now.getEpochSecond())
                .put("iss", ISSUER)
                .put("nbf", now.getEpochSecond())
                .put("sub", "system:serviceaccount:" + path.namespace() + ":" + path.name());
        claims.putObject("kubernetes.io")
                .put("namespace", path.namespace())
                .putObject("serviceaccount")
                .put("name", path.name())
                .set("uid", account.path("metadata").path("uid"));
        ObjectNode header =
                JsonNodeFactory.instance.objectNode().put("alg", "HS256").put("typ", "JWT");
        byte[] signature = new byte[SIGNATURE_OCTETS];
        random.nextBytes(signature);
        return text(Json.bytes(header)) + "." + text(Json.bytes(claims)) + "." + text(signature);
    }

    private static String text(byte[] octets) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(octets);
    }
}
