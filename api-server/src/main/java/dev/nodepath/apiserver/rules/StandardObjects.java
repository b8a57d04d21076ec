package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Roles, bindings and PriorityClasses of every Kubernetes cluster that people commonly name. */
public final class StandardObjects {
    private StandardObjects() {}

    /** Creates the roles, bindings and PriorityClasses in an empty cluster. */
    public static void create(ClusterApi api) {
        for (JsonNode object : read()) {
            api.create(
                    api.kinds()
                            .ofKind(
                                    object.path("apiVersion").asText(),
                                    object.path("kind").asText())
                            .orElseThrow(),
                    (ObjectNode) object);
        }
    }

    private static JsonNode read() {
        String file = "standard-objects.json";
        try (InputStream in = StandardObjects.class.getResourceAsStream(file)) {
            return new ObjectMapper().readTree(Objects.requireNonNull(in, file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
