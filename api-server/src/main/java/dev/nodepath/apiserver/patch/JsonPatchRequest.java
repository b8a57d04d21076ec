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

/**
 * JSON patch (RFC 6902) with the limits of kube-apiserver: a patch has at most {@value #OPERATIONS_MAX} operations, and
 * its copies add at most {@value #COPIED_MAX} octets. All operations change one tree.
 */
public final class JsonPatchRequest {
    private static final int OPERATIONS_MAX = 10_000;
    private static final long COPIED_MAX = 3 * 1024 * 1024;

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
        ArrayNode one = JsonNodeFactory.instance.arrayNode().add(operation);
        try {
            String name = operation.path("op").asText();
            if (name.equals("copy")) {
                count(tree.at(operation.path("from").asText()));
            }
            if (name.equals("remove")
                    && tree.at(operation.path("path").asText()).isMissingNode()) {
                throw rejected("remove operation does not apply: no "
                        + operation.path("path").asText());
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

    private static StatusException rejected(String why) {
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
