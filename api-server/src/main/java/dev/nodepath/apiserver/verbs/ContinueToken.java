package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.util.Base64;

/**
 * The begin of a list's next page, in the form of Kubernetes: base64 of {@code
 * {"v":"meta.k8s.io/v1","rv":1137,"start":"/default/web\0"}}.
 *
 * @param version of the list
 * @param after the last key of the page before
 */
record ContinueToken(long version, ObjectKey after) {
    private static final String FORMAT = "meta.k8s.io/v1";

    static ContinueToken parse(String text) {
        try {
            JsonNode token = Json.MAPPER.readTree(Base64.getUrlDecoder().decode(text));
            String start = token.path("start").asText("");
            String[] parts = start.split("/", -1);
            if (!token.path("v").asText("").equals(FORMAT) || parts.length < 2 || !start.endsWith("\0")) {
                throw refused();
            }
            String name = parts[parts.length - 1];
            return new ContinueToken(
                    token.path("rv").asLong(),
                    new ObjectKey(parts.length > 2 ? parts[1] : "", name.substring(0, name.length() - 1)));
        } catch (IOException | IllegalArgumentException e) {
            throw refused();
        }
    }

    String text() {
        String place = after.namespace().isEmpty() ? "/" : "/" + after.namespace() + "/";
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Json.bytes(JsonNodeFactory.instance
                        .objectNode()
                        .put("v", FORMAT)
                        .put("rv", version)
                        .put("start", place + after.name() + "\0")));
    }

    private static StatusException refused() {
        return StatusException.badRequest("continue key is not valid: it is not from a list of this server");
    }
}
