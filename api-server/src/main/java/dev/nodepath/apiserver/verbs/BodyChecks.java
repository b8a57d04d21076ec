package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.DuplicateFields;
import java.util.ArrayList;
import java.util.List;

/** Compares bodies with the paths of their requests, and with the fields of their kinds. */
final class BodyChecks {
    /** A refusal names at most so many. */
    private static final int MISFITS_MAX = 100;

    private final ObjectSchema schema;

    BodyChecks(ObjectSchema schema) {
        this.schema = schema;
    }

    /** Sets the values of the path, and refuses an object with other values. */
    static void place(ResourcePath path, ObjectNode object) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        String namespace = metadata.path("namespace").asText("");
        if (!path.resource().namespaced()) {
            metadata.remove("namespace");
        } else if (namespace.isEmpty()) {
            metadata.put("namespace", path.namespace());
        } else if (!namespace.equals(path.namespace())) {
            throw StatusException.badRequest(
                    "the namespace of the provided object does not match the namespace sent on" + " the request");
        }
        String name = metadata.path("name").asText("");
        if (path.name().isEmpty()) {
            return;
        }
        if (name.isEmpty()) {
            metadata.put("name", path.name());
        } else if (!name.equals(path.name())) {
            throw StatusException.badRequest(
                    "the name of the object (" + name + ") does not match the name on the URL (" + path.name() + ")");
        }
    }

    /** The warnings about a body. With {@code fieldValidation=Strict} an unknown or duplicate field is refused. */
    List<String> warnings(ApiRequest request, Resource resource, JsonNode object) {
        String validation = request.query().text("fieldValidation");
        List<String> warnings = new ArrayList<>(schema.warnings(resource, object));
        List<String> misfits = misfits(request, resource, object);
        switch (validation) {
            case "Ignore" -> {}
            case "", "Warn" -> warnings.addAll(misfits);
            case "Strict" -> {
                if (!misfits.isEmpty()) {
                    throw StatusException.badRequest(resource.kind() + " in version \"" + resource.version()
                            + "\" cannot be handled as a " + resource.kind() + ": strict decoding error: "
                            + String.join(", ", misfits));
                }
            }
            default ->
                throw StatusException.badRequest("fieldValidation: Unsupported value: \"" + validation
                        + "\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
        }
        return warnings;
    }

    /**
     * The warnings that do not apply to the object before: its author got them already, and the server has set the
     * rest.
     */
    List<String> news(List<String> warnings, Resource resource, JsonNode before) {
        if (warnings.isEmpty()) {
            return warnings;
        }
        List<String> news = new ArrayList<>(warnings);
        news.removeAll(schema.warnings(resource, before));
        return news;
    }

    /** Further warnings about a new object. */
    List<String> creationWarnings(Resource resource, JsonNode object) {
        return schema.creationWarnings(resource, object);
    }

    /** Fields that appear twice, and fields that the kind does not have. */
    private List<String> misfits(ApiRequest request, Resource resource, JsonNode object) {
        List<String> misfits = new ArrayList<>(DuplicateFields.in(request.body()));
        misfits.addAll(schema.unknownFields(resource, object));
        return misfits.subList(0, Math.min(misfits.size(), MISFITS_MAX));
    }
}
