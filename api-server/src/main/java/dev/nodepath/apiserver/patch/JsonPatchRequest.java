package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.store.ObjectSize;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * JSON patch (RFC 6902) in the manner of kube-apiserver with evanphx/json-patch v4: a patch has at most {@value
 * #OPERATIONS_MAX} operations, and its copies add at most {@value #COPIED_MAX} octets. All operations change one tree.
 * Only {@code replace} and {@code test} may name the whole tree.
 */
public final class JsonPatchRequest {
    private static final int OPERATIONS_MAX = 10_000;
    private static final long COPIED_MAX = 3 * 1024 * 1024;

    /** Numbers are equal if their texts are, whatever their Java types. */
    private static final Comparator<JsonNode> AS_TEXT = Comparator.comparing(JsonNode::toString);

    private long copied;

    private JsonPatchRequest() {}

    /**
     * Changes a tree.
     *
     * @param target belongs to this method from now on
     * @param patch is not changed
     * @return the changed tree
     * @throws StatusException 400 if this is no patch; 413 if it has too many operations; 422 if it does not fit the
     *     tree or copies too much
     */
    public static ObjectNode apply(ObjectNode target, JsonNode patch) {
        if (!patch.isArray()) {
            throw StatusException.badRequest("the body is no JSON patch: expected an array of operations");
        }
        if (patch.size() > OPERATIONS_MAX) {
            throw StatusException.tooLarge(
                    "The allowed maximum operations in a JSON patch is " + OPERATIONS_MAX + ", got " + patch.size());
        }
        JsonPatchRequest request = new JsonPatchRequest();
        JsonNode result = target;
        for (JsonNode operation : patch) {
            result = request.step(result, operation);
        }
        if (result instanceof ObjectNode object) {
            return object;
        }
        throw rejected("the result is no object");
    }

    private JsonNode step(JsonNode tree, JsonNode operation) {
        if (!operation.isObject()) {
            throw StatusException.badRequest("the body is no JSON patch: expected an object, got " + operation);
        }
        String name = operation.path("op").asText("unknown");
        switch (name) {
            case "add" -> at(tree, operation, "doc is missing path: \"%s\"").add(value(operation), atPath(operation));
            case "remove" -> at(tree, operation, "doc is missing path: \"%s\"").remove(atPath(operation));
            case "replace" -> {
                return replace(tree, operation);
            }
            case "move" -> move(tree, operation);
            case "copy" -> copy(tree, operation);
            case "test" -> test(tree, operation);
            default -> throw rejected("Unexpected kind: " + name);
        }
        return tree;
    }

    private static JsonNode replace(JsonNode tree, JsonNode operation) {
        String path = text(operation, "path");
        if (!path.isEmpty()) {
            at(tree, operation, "doc is missing path: %s")
                    .set(
                            value(operation),
                            why -> "replace operation does not apply: doc is missing key: " + path + ": missing value");
            return tree;
        }
        if (!value(operation).isContainerNode()) {
            throw rejected("replace operation value must be object or array");
        }
        return value(operation);
    }

    private static void move(JsonNode tree, JsonNode operation) {
        PatchPlace from = from(tree, operation);
        UnaryOperator<String> complaint = why -> "error in move for path: '" + from.key() + "': " + why;
        JsonNode moved = from.get(complaint);
        from.remove(complaint);
        at(tree, operation, "doc is missing destination path: %s").add(moved, atPath(operation));
    }

    private void copy(JsonNode tree, JsonNode operation) {
        String from = text(operation, "from");
        JsonNode copied = from(tree, operation).get(why -> "error in copy for from: '" + from + "': " + why);
        PatchPlace place = at(tree, operation, "doc is missing destination path: %s");
        count(copied);
        place.add(
                copied.isMissingNode() ? NullNode.instance : copied.deepCopy(),
                why -> "error while adding value during copy: " + why);
    }

    private static void test(JsonNode tree, JsonNode operation) {
        String path = text(operation, "path");
        JsonNode found = path.isEmpty()
                ? tree
                : at(tree, operation, "is missing path: %s").get(atPath(operation));
        JsonNode expected = value(operation);
        boolean absent = found.isMissingNode() || found.isNull();
        if (absent ? !expected.isNull() : !found.equals(AS_TEXT, expected)) {
            throw rejected("testing value " + path + " failed: test failed");
        }
    }

    private static PatchPlace from(JsonNode tree, JsonNode operation) {
        return place(tree, operation, "from", "doc is missing from path: %s");
    }

    private static PatchPlace at(JsonNode tree, JsonNode operation, String complaint) {
        return place(tree, operation, "path", complaint);
    }

    private static PatchPlace place(JsonNode tree, JsonNode operation, String field, String complaint) {
        String path = text(operation, field);
        return PatchPlace.of(
                tree, path, operation.path("op").asText() + " operation does not apply: " + complaint.formatted(path));
    }

    private static UnaryOperator<String> atPath(JsonNode operation) {
        return why ->
                "error in " + operation.path("op").asText() + " for path: '" + text(operation, "path") + "': " + why;
    }

    private static String text(JsonNode operation, String field) {
        JsonNode text = operation.path(field);
        if (!text.isTextual()) {
            throw rejected(operation.path("op").asText() + " operation failed to decode " + field + ": missing value");
        }
        return requireShort(text.textValue());
    }

    /** The operation's value; null if there is none. */
    private static JsonNode value(JsonNode operation) {
        return operation.has("value") ? operation.get("value").deepCopy() : NullNode.instance;
    }

    private void count(JsonNode copy) {
        copied += ObjectSize.of(copy, COPIED_MAX);
        if (copied > COPIED_MAX) {
            throw rejected("Unable to complete the copy, the accumulated size increase of copy is " + copied
                    + ", exceeding the limit " + COPIED_MAX);
        }
    }

    /** No operation may make a tree much deeper than stored ones. */
    private static String requireShort(String path) {
        if (path.chars().filter(each -> each == '/').count() > ObjectSize.LEVELS_MAX) {
            throw rejected("a path of more than " + ObjectSize.LEVELS_MAX + " levels");
        }
        return path;
    }

    static StatusException rejected(String why) {
        return new StatusException(
                422,
                "Invalid",
                "the server rejected our request due to an error in our request: " + why,
                "",
                "",
                "",
                List.of());
    }
}
