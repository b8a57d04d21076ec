package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.Resource;

/** {@code Status} objects, with fields in the order of Kubernetes. */
public final class StatusBody {
    private StatusBody() {}

    /** A refusal. */
    public static ObjectNode of(StatusException refusal) {
        ObjectNode status = begin("Failure");
        status.put("message", refusal.getMessage());
        status.put("reason", refusal.reason());
        ObjectNode details = Json.MAPPER.createObjectNode();
        putIfPresent(details, "name", refusal.name());
        putIfPresent(details, "group", refusal.group());
        putIfPresent(details, "kind", refusal.kind());
        if (!refusal.causes().isEmpty()) {
            ArrayNode causes = details.putArray("causes");
            refusal.causes().forEach(cause -> {
                ObjectNode one = causes.addObject();
                putIfPresent(one, "reason", cause.reason());
                putIfPresent(one, "message", cause.message());
                putIfPresent(one, "field", cause.field());
            });
        }
        // kubectl reads the details of each 404, even empty ones.
        if (!details.isEmpty() || refusal.code() == 404) {
            status.set("details", details);
        }
        return status.put("code", refusal.code());
    }

    /** A success that concerns this object. */
    public static ObjectNode success(Resource resource, ObjectNode object) {
        ObjectNode status = begin("Success");
        ObjectNode details = status.putObject("details");
        details.put("name", object.path("metadata").path("name").asText());
        putIfPresent(details, "group", resource.group());
        details.put("kind", resource.plural());
        putIfPresent(details, "uid", object.path("metadata").path("uid").asText());
        return status;
    }

    /** A success. */
    public static ObjectNode success(int code) {
        return begin("Success").put("code", code);
    }

    private static ObjectNode begin(String status) {
        ObjectNode body = Json.MAPPER.createObjectNode();
        body.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        return body.put("status", status);
    }

    private static void putIfPresent(ObjectNode object, String field, String value) {
        if (!value.isEmpty()) {
            object.put(field, value);
        }
    }
}
