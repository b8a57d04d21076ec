package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * A document of version 2 as gnostic's protobuf message {@code openapi.v2.Document}, for clients that read no JSON.
 * Field numbers are those of {@code OpenAPIv2.proto}. It knows only the parts that {@link OpenApiDocuments} writes.
 */
final class SwaggerMessage {
    private static final List<String> METHODS = List.of("get", "put", "post", "delete", "options", "head", "patch");

    private SwaggerMessage() {}

    static byte[] of(JsonNode document) {
        ProtobufMessage paths = new ProtobufMessage();
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
            paths.message(2, named(path.getKey(), pathItem(path.getValue())));
        }
        JsonNode info = document.path("info");
        return new ProtobufMessage()
                .text(1, document.path("swagger").asText())
                .message(
                        2,
                        new ProtobufMessage()
                                .text(1, info.path("title").asText())
                                .text(2, info.path("version").asText()))
                .message(8, paths)
                .message(9, schemas(document.path("definitions")))
                .toByteArray();
    }

    private static ProtobufMessage pathItem(JsonNode item) {
        ProtobufMessage message = new ProtobufMessage();
        for (int i = 0; i < METHODS.size(); i++) {
            if (item.has(METHODS.get(i))) {
                message.message(2 + i, operation(item.path(METHODS.get(i))));
            }
        }
        item.path("parameters").forEach(each -> message.message(9, parameter(each)));
        return message;
    }

    private static ProtobufMessage operation(JsonNode operation) {
        ProtobufMessage message =
                new ProtobufMessage().text(5, operation.path("operationId").asText());
        operation.path("consumes").forEach(each -> message.text(7, each.asText()));
        operation.path("parameters").forEach(each -> message.message(8, parameter(each)));
        ProtobufMessage responses = new ProtobufMessage();
        for (Map.Entry<String, JsonNode> code : operation.path("responses").properties()) {
            ProtobufMessage schema =
                    new ProtobufMessage().message(1, schema(code.getValue().path("schema")));
            ProtobufMessage response = new ProtobufMessage()
                    .text(1, code.getValue().path("description").asText())
                    .message(2, schema);
            responses.message(1, named(code.getKey(), new ProtobufMessage().message(1, response)));
        }
        return extensions(message.message(9, responses), 13, operation);
    }

    private static ProtobufMessage parameter(JsonNode parameter) {
        String place = parameter.path("in").asText();
        ProtobufMessage message = new ProtobufMessage();
        if (place.equals("body")) {
            message.message(
                    1,
                    new ProtobufMessage()
                            .text(2, parameter.path("name").asText())
                            .text(3, place)
                            .flag(4, parameter.path("required").asBoolean())
                            .message(5, schema(parameter.path("schema"))));
        } else {
            boolean query = place.equals("query");
            ProtobufMessage other = new ProtobufMessage()
                    .flag(1, parameter.path("required").asBoolean())
                    .text(2, place)
                    .text(4, parameter.path("name").asText())
                    .text(query ? 6 : 5, parameter.path("type").asText());
            message.message(2, new ProtobufMessage().message(query ? 3 : 4, other));
        }
        return new ProtobufMessage().message(1, message);
    }

    private static ProtobufMessage schemas(JsonNode schemas) {
        ProtobufMessage message = new ProtobufMessage();
        for (Map.Entry<String, JsonNode> each : schemas.properties()) {
            message.message(1, named(each.getKey(), schema(each.getValue())));
        }
        return message;
    }

    private static ProtobufMessage schema(JsonNode schema) {
        ProtobufMessage message = new ProtobufMessage()
                .text(1, schema.path("$ref").asText())
                .text(2, schema.path("format").asText())
                .text(4, schema.path("description").asText());
        schema.path("required").forEach(each -> message.text(19, each.asText()));
        if (schema.has("additionalProperties")) {
            message.message(21, new ProtobufMessage().message(1, schema(schema.path("additionalProperties"))));
        }
        if (schema.has("type")) {
            message.message(
                    22, new ProtobufMessage().text(1, schema.path("type").asText()));
        }
        if (schema.has("items")) {
            message.message(23, new ProtobufMessage().message(1, schema(schema.path("items"))));
        }
        if (schema.has("properties")) {
            message.message(25, schemas(schema.path("properties")));
        }
        return extensions(message, 31, schema);
    }

    /** Values of extensions are YAML, and JSON is valid YAML. */
    private static ProtobufMessage extensions(ProtobufMessage message, int field, JsonNode node) {
        for (Map.Entry<String, JsonNode> each : node.properties()) {
            if (each.getKey().startsWith("x-")) {
                ProtobufMessage yaml =
                        new ProtobufMessage().text(2, each.getValue().toString());
                message.message(field, named(each.getKey(), yaml));
            }
        }
        return message;
    }

    private static ProtobufMessage named(String name, ProtobufMessage value) {
        return new ProtobufMessage().text(1, name).message(2, value);
    }
}
