package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.ObjectDecoder;
import dev.nodepath.apiserver.schema.OpenApiDocuments;
import dev.nodepath.apiserver.validation.SchemaValidation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The fields of Kubernetes 1.36, and warnings about those without effect in this cluster. */
public final class ClusterSchema implements ObjectSchema {
    private static final String JSON = "application/json";
    private static final String VERSION_2 = "/openapi/v2";
    private static final String VERSION_3 = "/openapi/v3";

    private final OpenApiDocuments documents = new OpenApiDocuments();

    /** A value of another type than its field is refused. */
    @Override
    public List<String> unknownFields(Resource resource, JsonNode object) {
        if (!(object instanceof ObjectNode tree)) {
            return List.of();
        }
        List<String> unknown =
                new ArrayList<>(ObjectDecoder.decode(resource, tree).unknown());
        if (ClusterPolicyDefinition.isOf(resource)) {
            unknown.addAll(SchemaValidation.prune(ClusterPolicyDefinition.schema(), tree.deepCopy()));
        }
        return unknown;
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
