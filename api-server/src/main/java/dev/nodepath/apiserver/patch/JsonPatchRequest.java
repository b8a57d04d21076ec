package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.flipkart.zjsonpatch.InvalidJsonPatchException;
import com.flipkart.zjsonpatch.JsonPatch;
import com.flipkart.zjsonpatch.JsonPatchApplicationException;
import dev.nodepath.apiserver.StatusException;
import java.util.List;

/**
 * JSON patch (RFC 6902) with limits: a patch has at most {@value #OPERATIONS_MAX} operations, as in kube-apiserver, and
 * copies cannot make an object of more than {@value #VALUES_MAX} values.
 */
public final class JsonPatchRequest {
    private static final int OPERATIONS_MAX = 10_000;
    private static final int VALUES_MAX = 500_000;

    private JsonPatchRequest() {}

    /**
     * A changed copy of a tree.
     *
     * @throws StatusException 400 if this is no patch; 413 if it is too large; 422 if it does not fit the tree
     */
    public static ObjectNode apply(ObjectNode target, JsonNode patch) {
        if (!patch.isArray()) {
            throw StatusException.badRequest("the body is no JSON patch: expected an array of operations");
        }
        if (patch.size() > OPERATIONS_MAX) {
            throw tooLarge(
                    "The allowed maximum operations in a JSON patch is " + OPERATIONS_MAX + ", got " + patch.size());
        }
        JsonNode result = target;
        for (JsonNode operation : patch) {
            result = step(result, operation);
        }
        if (result instanceof ObjectNode object) {
            return object;
        }
        throw rejected("the result is no object");
    }

    private static JsonNode step(JsonNode tree, JsonNode operation) {
        ArrayNode one = JsonNodeFactory.instance.arrayNode().add(operation);
        try {
            JsonNode result = JsonPatch.apply(one, tree);
            if (operation.path("op").asText().equals("copy") && count(result, VALUES_MAX) > VALUES_MAX) {
                throw tooLarge("The patch copies more than " + VALUES_MAX + " values");
            }
            return result;
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

    /** Values in a tree; stops above a limit. */
    private static int count(JsonNode tree, int max) {
        int sum = 1;
        for (JsonNode child : tree) {
            sum += count(child, max - sum);
            if (sum > max) {
                return sum;
            }
        }
        return sum;
    }

    private static StatusException tooLarge(String message) {
        return new StatusException(413, "RequestEntityTooLarge", message, "", "", "", List.of());
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
