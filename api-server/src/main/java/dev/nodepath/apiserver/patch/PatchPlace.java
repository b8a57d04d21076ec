package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.validation.GoText;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The place of a JSON patch's path: a key of an object, or an index of a list. Rules and words are those of
 * evanphx/json-patch v4 in kube-apiserver: an absent key of an object may be read and replaced, and an index below
 * zero counts from the end of its list.
 */
final class PatchPlace {
    private static final String MISSING = ": missing value";

    private final JsonNode container;
    private final String key;

    private PatchPlace(JsonNode container, String key) {
        this.container = container;
        this.key = key;
    }

    /**
     * Finds a place. Its last part may be absent.
     *
     * @param complaint the message if the object or list around it is absent
     * @throws dev.nodepath.apiserver.StatusException 422 if it is absent
     */
    static PatchPlace of(JsonNode tree, String path, String complaint) {
        List<String> keys = List.of(path.split("/", -1));
        JsonNode container = keys.size() > 1 ? tree : MissingNode.getInstance();
        for (int i = 1; i < keys.size() - 1 && container.isContainerNode(); i++) {
            container = new PatchPlace(container, name(keys.get(i))).get(why -> complaint + MISSING);
        }
        if (!container.isContainerNode()) {
            throw JsonPatchRequest.rejected(complaint + MISSING);
        }
        return new PatchPlace(container, name(keys.get(keys.size() - 1)));
    }

    /** The last part of the path, without escapes. */
    String key() {
        return key;
    }

    /** The value; missing if an object has no such key. */
    JsonNode get(UnaryOperator<String> complaint) {
        return container instanceof ArrayNode list ? list.get(index(list.size(), "", complaint)) : container.path(key);
    }

    /** Replaces the value. */
    void set(JsonNode value, UnaryOperator<String> complaint) {
        if (container instanceof ArrayNode list) {
            list.set(index(list.size(), "", complaint), value);
        } else {
            ((ObjectNode) container).set(key, value);
        }
    }

    /** Inserts a value before this index, or sets it at this key. */
    void add(JsonNode value, UnaryOperator<String> complaint) {
        if (!(container instanceof ArrayNode list)) {
            ((ObjectNode) container).set(key, value);
        } else if (key.equals("-")) {
            list.add(value);
        } else {
            String syntax = "value was not a proper array index: '" + key + "': ";
            list.insert(index(list.size() + 1, syntax, complaint), value);
        }
    }

    /** Removes the value. */
    void remove(UnaryOperator<String> complaint) {
        if (container instanceof ArrayNode list) {
            list.remove(index(list.size(), "", complaint));
        } else if (((ObjectNode) container).remove(key) == null) {
            throw JsonPatchRequest.rejected(complaint.apply("Unable to remove nonexistent key: " + key + MISSING));
        }
    }

    private int index(int end, String syntax, UnaryOperator<String> complaint) {
        if (!key.matches("[+-]?\\d{1,18}")) {
            throw JsonPatchRequest.rejected(
                    complaint.apply(syntax + "strconv.Atoi: parsing " + GoText.quote(key) + ": invalid syntax"));
        }
        long index = Long.parseLong(key);
        if (index >= end || index < -end) {
            throw JsonPatchRequest.rejected(
                    complaint.apply("Unable to access invalid index: " + index + ": invalid index referenced"));
        }
        return (int) (index < 0 ? index + end : index);
    }

    private static String name(String part) {
        return part.replace("~1", "/").replace("~0", "~");
    }
}
