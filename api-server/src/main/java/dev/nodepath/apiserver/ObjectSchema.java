package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;
import java.util.Optional;

/** What is known of the fields of each kind. */
public interface ObjectSchema {
    /** Knows nothing. */
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
     * The fields of an object that its kind does not have, each as {@code unknown field "spec.replica"}. The client
     * says whether they are refused, warned about or ignored.
     */
    List<String> unknownFields(Resource resource, JsonNode object);

    /** What else the client is to be warned about, such as a field that nothing obeys. */
    List<String> warnings(Resource resource, JsonNode object);

    /** What the client is to be told when it creates an object, such as a kind on which nothing acts. */
    List<String> creationWarnings(Resource resource, JsonNode object);

    /**
     * The document at a path below {@code /openapi}.
     *
     * @param kinds those that there are now
     * @param path such as {@code /openapi/v3/apis/apps/v1}
     * @param accept the client's header
     */
    Optional<Document> openApi(Kinds kinds, String path, String accept);
}
