package dev.nodepath.apiserver.access;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.Json;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * What proves to others who a ServiceAccount is. It has the form and the claims of Kubernetes' (a JSON Web Token, RFC
 * 7519), and a signature that nobody checks: the API server knows its {@link BearerToken} alone.
 *
 * @param account the ServiceAccount
 * @param audiences for whom it is; empty for the API server
 * @param issued when it was made; seconds count
 * @param life from then on
 * @param pod the only one that has it; empty if it is nobody's own
 */
public record ServiceAccountToken(
        ObjectNode account, List<String> audiences, Instant issued, Duration life, Optional<ObjectNode> pod) {
    /** Who says that a token is right, and for whom it is if nobody else is named. */
    public static final String ISSUER = "https://kubernetes.default.svc.cluster.local";

    /** The shortest life that may be asked for. */
    public static final long SECONDS_MIN = 600;

    /** The longest. */
    public static final long SECONDS_MAX = 1L << 32;

    private static final int SIGNATURE_OCTETS = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    public ServiceAccountToken {
        audiences = audiences.isEmpty() ? List.of(ISSUER) : List.copyOf(audiences);
    }

    /** Its text, with another signature each time. */
    public String text() {
        byte[] signature = new byte[SIGNATURE_OCTETS];
        RANDOM.nextBytes(signature);
        ObjectNode header =
                JsonNodeFactory.instance.objectNode().put("alg", "HS256").put("typ", "JWT");
        return encoded(Json.bytes(header)) + "." + encoded(Json.bytes(claims())) + "." + encoded(signature);
    }

    private ObjectNode claims() {
        String namespace = account.path("metadata").path("namespace").asText();
        ObjectNode claims = JsonNodeFactory.instance.objectNode();
        audiences.forEach(claims.putArray("aud")::add);
        claims.put("exp", issued.plus(life).getEpochSecond())
                .put("iat", issued.getEpochSecond())
                .put("iss", ISSUER)
                .put("nbf", issued.getEpochSecond());
        ObjectNode bound = claims.putObject("kubernetes.io").put("namespace", namespace);
        pod.ifPresent(owner -> {
            bound.putObject("node")
                    .put("name", owner.path("spec").path("nodeName").asText());
            reference(bound.putObject("pod"), owner);
        });
        reference(bound.putObject("serviceaccount"), account);
        return claims.put(
                "sub",
                "system:serviceaccount:" + namespace + ":"
                        + account.path("metadata").path("name").asText());
    }

    private static void reference(ObjectNode to, ObjectNode object) {
        to.set("name", object.path("metadata").path("name"));
        to.set("uid", object.path("metadata").path("uid"));
    }

    private static String encoded(byte[] octets) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(octets);
    }
}
