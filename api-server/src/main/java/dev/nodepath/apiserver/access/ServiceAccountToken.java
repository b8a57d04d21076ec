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
 * The proof of a ServiceAccount's identity. It has the form and the claims of Kubernetes' token (a JSON Web Token, RFC
 * 7519). Its signature is never checked: the API server accepts only its {@link BearerToken}.
 *
 * @param account the ServiceAccount
 * @param audiences its receivers; empty for the API server
 * @param issued the time of issue; only its seconds count
 * @param life the time from then until it expires
 * @param pod the only Pod that has it; empty if it is for no single Pod
 */
public record ServiceAccountToken(
        ObjectNode account, List<String> audiences, Instant issued, Duration life, Optional<ObjectNode> pod) {
    /** The issuer of tokens, which is also the audience of a token without another one. */
    public static final String ISSUER = "https://kubernetes.default.svc.cluster.local";

    /** The shortest life of a requested token. */
    public static final long SECONDS_MIN = 600;

    /** The longest life of a requested token, in seconds. */
    public static final long SECONDS_MAX = 1L << 32;

    private static final int SIGNATURE_OCTETS = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    public ServiceAccountToken {
        audiences = audiences.isEmpty() ? List.of(ISSUER) : List.copyOf(audiences);
    }

    /** The token's text, with a new signature each time. */
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
