package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.store.ObjectSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads the bodies of requests, in JSON, YAML or protobuf. */
public final class ObjectBody {
    private static final List<String> YAML = List.of("application/yaml", "application/apply-patch+yaml");

    /** The most octets of a body, and of the tree that is read from it, as with kube-apiserver. */
    public static final int SIZE_MAX = 3 * 1024 * 1024;

    private ObjectBody() {}

    /** The object that a client sent for a kind. Its apiVersion and kind are those of the kind, or absent. */
    public static ObjectNode read(ApiRequest request, Resource resource) {
        JsonNode tree = tree(request, resource.kind());
        if (!(tree instanceof ObjectNode object)) {
            throw unrecognized(resource.kind(), "expected an object, found " + Nodes.typeOf(tree));
        }
        requireKind(object, resource.apiVersion(), resource.kind());
        if (!object.path("metadata").isObject() && object.has("metadata")) {
            throw StatusException.badRequest(resource.kind() + " in version \"" + resource.version()
                    + "\" cannot be handled as a " + resource.kind() + ": metadata: expected an object, found "
                    + Nodes.typeOf(object.path("metadata")));
        }
        return object;
    }

    /** Refuses an object of another kind or version; an absent kind or version is accepted. */
    public static void requireKind(ObjectNode object, String apiVersion, String kind) {
        String foundVersion = object.path("apiVersion").asText("");
        String foundKind = object.path("kind").asText("");
        if (!foundVersion.isEmpty() && !foundVersion.equals(apiVersion)) {
            throw StatusException.badRequest("the API version in the data (" + foundVersion
                    + ") does not match the expected API version (" + apiVersion + ")");
        }
        if (!foundKind.isEmpty() && !foundKind.equals(kind)) {
            throw StatusException.badRequest(foundKind + " in version \"" + apiVersion + "\" cannot be handled as a "
                    + kind + ": unknown conversion");
        }
    }

    /**
     * The tree in the body.
     *
     * @param what the kind in error messages
     * @throws StatusException 413 if it has more than {@value #SIZE_MAX} octets, for example through aliases of a long
     *     text
     */
    public static JsonNode tree(ApiRequest request, String what) {
        JsonNode tree = read(request, what);
        if (ObjectSize.of(tree, SIZE_MAX) > SIZE_MAX) {
            throw StatusException.tooLarge("limit is " + SIZE_MAX);
        }
        return tree;
    }

    private static JsonNode read(ApiRequest request, String what) {
        String type = request.contentType();
        if (type.equals(ProtobufBody.CONTENT_TYPE)) {
            return protobuf(request.body(), what);
        }
        boolean yaml = YAML.contains(type);
        if (!yaml && !type.equals(ApiResponse.JSON) && !type.endsWith("+json")) {
            throw new StatusException(
                    415,
                    "UnsupportedMediaType",
                    "the body of the request was in an unknown format - accepted media types include:"
                            + " application/json, application/yaml, application/vnd.kubernetes.protobuf",
                    "",
                    "",
                    "",
                    List.of());
        }
        return yaml && !beginsAsJson(request.body()) ? yaml(request.body(), what) : json(request.body(), what);
    }

    private static JsonNode protobuf(byte[] body, String what) {
        try {
            return ProtobufBody.read(body, Json.MAPPER);
        } catch (MalformedMessageException e) {
            throw unrecognized(what, String.valueOf(e.getMessage()));
        }
    }

    private static boolean beginsAsJson(byte[] body) {
        for (byte octet : body) {
            if (!Character.isWhitespace(octet)) {
                return octet == '{';
            }
        }
        return false;
    }

    private static JsonNode json(byte[] body, String what) {
        try {
            JsonNode tree = Json.MAPPER.readTree(body);
            if (tree.isMissingNode()) {
                throw unrecognized(what, "unexpected end of JSON input");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw unrecognized(what, e.getOriginalMessage());
        } catch (IOException e) {
            throw unrecognized(what, String.valueOf(e.getMessage()));
        }
    }

    private static JsonNode yaml(byte[] body, String what) {
        try {
            return Json.MAPPER.valueToTree(BoundedYaml.load(new String(body, StandardCharsets.UTF_8)));
        } catch (YamlEngineException | IllegalArgumentException e) {
            throw unrecognized(what, String.valueOf(e.getMessage()));
        }
    }

    private static StatusException unrecognized(String what, String why) {
        return StatusException.badRequest("the object provided is unrecognized (must be of type " + what
                + "): couldn't get version/kind; json parse error: " + why);
    }
}
