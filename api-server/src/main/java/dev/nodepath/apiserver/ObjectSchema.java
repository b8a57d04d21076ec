package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;
import java.util.Optional;

/** The known fields of each kind. */
public interface ObjectSchema {
    /** A schema without known fields. */
    ObjectSchema NONE = new ObjectSchema() {
        @Override
        public List<String> unknownFields(Resource resource, JsonNode object) {
            return List.of();
        }

        @Override
        public List<String> warnings(Resource resource, JsonNode object) {
            return List.of();
        }

        @Override
        public List<String> creationWarnings(Resource resource, JsonNode object) {
            return List.of();
        }

        @Override
        public Optional<Document> openApi(Kinds kinds, String path, String accept) {
            return Optional.empty();
        }
    };

    /**
     * A document of OpenAPI.
     *
     * @param contentType of the body
     * @param body not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Document(String contentType, byte[] body) {}

    /**
     * The object's fields that its kind does not have, each as {@code unknown field "spec.replica"}. The client says
     * whether they are refused, warned about or ignored.
     */
    List<String> unknownFields(Resource resource, JsonNode object);

    /** Further warnings about an object, such as a field without effect. */
    List<String> warnings(Resource resource, JsonNode object);

    /** Warnings about a new object, such as a kind without effect. */
    List<String> creationWarnings(Resource resource, JsonNode object);

    /**
     * The document at a path below {@code /openapi}.
     *
     * @param kinds the kinds of the cluster now
     * @param path such as {@code /openapi/v3/apis/apps/v1}
     * @param accept the client's header
     */
    Optional<Document> openApi(Kinds kinds, String path, String accept);
}
