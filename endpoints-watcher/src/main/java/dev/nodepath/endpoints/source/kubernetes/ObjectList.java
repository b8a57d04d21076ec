package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * The metadata of the answer to a list.
 *
 * @param version the resourceVersion to watch from
 * @param next the continue token of the next page; empty if this was the last one
 */
record ObjectList(String version, String next) {

    /**
     * Reads the answer object by object, because a page may be large.
     *
     * @throws IOException if it is not a list, or ends too early
     */
    static ObjectList read(ObjectMapper mapper, InputStream body, UnreadFields unread, Consumer<JsonNode> objects)
            throws IOException {
        String version = "";
        String next = "";
        try (JsonParser parser = mapper.createParser(body)) {
            require(parser.nextToken() == JsonToken.START_OBJECT, "a list of objects");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("metadata")) {
                    JsonNode metadata = mapper.readTree(parser);
                    version = metadata.path("resourceVersion").asText("");
                    next = metadata.path("continue").asText("");
                } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        objects.accept(unread.read(mapper, parser));
                    }
                } else {
                    parser.skipChildren();
                }
            }
            // To the very end, or the connection would be lost for the next request.
            require(parser.nextToken() == null, "a list of objects and nothing after it");
        }
        require(!version.isEmpty(), "a list with metadata.resourceVersion");
        return new ObjectList(version, next);
    }

    private static void require(boolean holds, String expected) throws IOException {
        if (!holds) {
            throw new IOException("unexpected answer (expected: " + expected + ")");
        }
    }
}
