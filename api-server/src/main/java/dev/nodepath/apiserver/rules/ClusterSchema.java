package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.custom.Kinds;
import dev.nodepath.apiserver.discovery.OpenApiDocuments;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.ObjectDecoder;
import java.util.List;
import java.util.Optional;

/** The fields of Kubernetes 1.36, and what this cluster does with them. */
public final class ClusterSchema implements ObjectSchema {
    private static final String JSON = "application/json";
    private static final String VERSION_2 = "/openapi/v2";
    private static final String VERSION_3 = "/openapi/v3";

    private final OpenApiDocuments documents = new OpenApiDocuments();

    /** As declared. A value of another type than its field is refused. */
    @Override
    public List<String> unknownFields(Resource resource, JsonNode object) {
        return object instanceof ObjectNode tree
                ? ObjectDecoder.decode(resource, tree).unknown()
                : List.of();
    }

    @Override
    public List<String> warnings(Resource resource, JsonNode object) {
        return IgnoredFields.of(resource, object);
    }

    @Override
    public List<String> creationWarnings(Resource resource, JsonNode object) {
        return OnlyStored.of(resource, object);
    }

    @Override
    public Optional<Document> openApi(Kinds kinds, String path, String accept) {
        if (path.equals(VERSION_2)) {
            return Optional.of(
                    accept.contains(OpenApiDocuments.PROTOBUF_2_ASKED) || accept.contains(OpenApiDocuments.PROTOBUF_2)
                            ? new Document(OpenApiDocuments.PROTOBUF_2, documents.version2Protobuf(kinds))
                            : new Document(JSON, documents.version2(kinds)));
        }
        if (path.equals(VERSION_3)) {
            return Optional.of(new Document(JSON, documents.version3(kinds)));
        }
        return path.startsWith(VERSION_3 + "/")
                ? documents
                        .version3(kinds, path.substring(VERSION_3.length() + 1))
                        .map(body -> new Document(JSON, body))
                : Optional.empty();
    }
}
