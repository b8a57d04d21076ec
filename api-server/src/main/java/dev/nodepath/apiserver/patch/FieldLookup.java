package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds values of one object by their paths. Each list is searched only once, for all of its items. */
final class FieldLookup {
    /** All steps into one list name the same keys, unless a client has written them. */
    private static final int KEY_SETS_MAX = 4;

    private final JsonNode object;
    private final IdentityHashMap<JsonNode, Map<List<String>, Map<String, JsonNode>>> lists = new IdentityHashMap<>();

    /**
     * A lookup in an object.
     *
     * @param object its lists may only lose items
     */
    FieldLookup(JsonNode object) {
        this.object = object;
    }

    /** The value at a place; null if there is none. */
    @Nullable
    JsonNode at(FieldPath path) {
        JsonNode node = object;
        for (String step : path.steps()) {
            JsonNode next = step.startsWith("f:") ? node.get(step.substring(2)) : item(node, step);
            if (next == null) {
                return null;
            }
            node = next;
        }
        return node;
    }

    private @Nullable JsonNode item(JsonNode list, String step) {
        JsonNode named = FieldPath.json(step);
        List<String> keys = new ArrayList<>();
        named.fieldNames().forEachRemaining(keys::add);
        if (step.startsWith("v:")) {
            keys.add("v:");
        }
        Map<List<String>, Map<String, JsonNode>> known = lists.computeIfAbsent(list, each -> new HashMap<>());
        if (known.size() >= KEY_SETS_MAX && !known.containsKey(keys)) {
            return null;
        }
        return known.computeIfAbsent(keys, each -> index(list, step, keys)).get(String.valueOf(named));
    }

    private static Map<String, JsonNode> index(JsonNode list, String step, List<String> keys) {
        Map<String, JsonNode> items = new HashMap<>();
        for (JsonNode item : list) {
            items.putIfAbsent(String.valueOf(step.startsWith("v:") ? item : keysOf(item, keys)), item);
        }
        return items;
    }

    /** The keys of an item. An absent key has its default. */
    static ObjectNode keysOf(JsonNode item, List<String> names) {
        ObjectNode keys = JsonNodeFactory.instance.objectNode();
        for (String name : names) {
            JsonNode value = item.path(name);
            if (!value.isMissingNode()) {
                keys.set(name, value);
            } else if (name.equals("protocol")) {
                keys.put(name, "TCP");
            }
        }
        return keys;
    }
}
