package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.flipkart.zjsonpatch.InvalidJsonPatchException;
import com.flipkart.zjsonpatch.JsonPatch;
import com.flipkart.zjsonpatch.JsonPatchApplicationException;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.store.ObjectSize;
import java.util.List;
import java.util.Set;

/**
 * JSON patch (RFC 6902) with the limits of kube-apiserver: a patch has at most {@value #OPERATIONS_MAX} operations, and
 * its copies add at most {@value #COPIED_MAX} octets. All operations change one tree.
 */
public final class JsonPatchRequest {
    private static final int OPERATIONS_MAX = 10_000;
    private static final long COPIED_MAX = 3 * 1024 * 1024;

    private static final Set<String> OPERATIONS = Set.of("add", "remove", "replace", "move", "copy", "test");

    private long copied;

    private JsonPatchRequest() {}

    /**
     * Changes a tree.
     *
     * @param target this method's from now on
     * @param patch stays as it is
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
        requireShort(operation.path("path").asText());
        requireShort(operation.path("from").asText());
        try {
            String name = operation.path("op").asText();
            ArrayNode one = JsonNodeFactory.instance.arrayNode().add(placed(tree, operation, name));
            if (name.equals("copy")) {
                count(tree.at(one.at("/0/from").asText()));
            }
            boolean whole = operation.path("path").asText("/").isEmpty() && !name.equals("test");
            if (!whole) {
                JsonPatch.applyInPlace(one, tree);
                return tree;
            }
            boolean given = name.equals("add") || name.equals("replace");
            // What else replaces the whole tree makes it a part of itself, and so smaller.
            return given && operation.has("value") ? operation.get("value").deepCopy() : JsonPatch.apply(one, tree);
        } catch (InvalidJsonPatchException e) {
            throw StatusException.badRequest("the body is no JSON patch: " + e.getMessage());
        } catch (JsonPatchApplicationException e) {
            throw rejected(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            if (e instanceof StatusException known) {
                throw known;
            }
            throw rejected("operation " + operation + " does not fit the object");
        }
    }

    /** The operation with paths that are there. */
    private static JsonNode placed(JsonNode tree, JsonNode operation, String name) {
        if (!(operation instanceof ObjectNode given)) {
            return operation;
        }
        ObjectNode placed = JsonNodeFactory.instance.objectNode().setAll(given);
        boolean reads = name.equals("move") || name.equals("copy");
        if (reads && operation.path("from").isTextual()) {
            placed.put(
                    "from", PatchPath.present(tree, name, operation.path("from").asText()));
        }
        if (operation.path("path").isTextual() && OPERATIONS.contains(name)) {
            String path = operation.path("path").asText();
            placed.put(
                    "path",
                    name.equals("add") || name.equals("copy")
                            ? PatchPath.destination(tree, name, path)
                            : name.equals("move") ? path : PatchPath.present(tree, name, path));
        }
        return placed;
    }

    private void count(JsonNode copy) {
        copied += ObjectSize.of(copy, COPIED_MAX);
        if (copied > COPIED_MAX) {
            throw rejected("Unable to complete the copy, the accumulated size increase of copy is " + copied
                    + ", exceeding the limit " + COPIED_MAX);
        }
    }

    /** No operation makes a tree that is much deeper than those that are stored. */
    private static void requireShort(String path) {
        if (path.chars().filter(each -> each == '/').count() > ObjectSize.LEVELS_MAX) {
            throw rejected("a path of more than " + ObjectSize.LEVELS_MAX + " levels");
        }
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
