package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The order of a merged list: that of the patch for items it names; others keep their place before what they preceded. */
final class ListOrder {
    private ListOrder() {}

    /** The item whose key has this value. */
    static Optional<ObjectNode> find(ArrayNode list, String key, JsonNode value) {
        for (JsonNode each : list) {
            if (each instanceof ObjectNode object && value.equals(object.get(key))) {
                return Optional.of(object);
            }
        }
        return Optional.empty();
    }

    /**
     * Sorts a list.
     *
     * @param before the list before the patch
     * @param order items, or objects with only their key, as the client wants them
     * @param key empty for a list of plain values
     */
    static void arrange(ArrayNode list, ArrayNode before, ArrayNode order, String key) {
        Map<JsonNode, Integer> places = places(before, key);
        Map<JsonNode, Integer> wanted = places(order, key);
        List<JsonNode> named = new ArrayList<>();
        List<JsonNode> others = new ArrayList<>();
        list.forEach(item -> (wanted.containsKey(identity(item, key)) ? named : others).add(item));
        named.sort((a, b) ->
                Integer.compare(wanted.getOrDefault(identity(a, key), 0), wanted.getOrDefault(identity(b, key), 0)));
        list.removeAll();
        int next = 0;
        for (JsonNode item : named) {
            int place = places.getOrDefault(identity(item, key), -1);
            while (next < others.size()
                    && places.getOrDefault(identity(others.get(next), key), Integer.MAX_VALUE) < place) {
                list.add(others.get(next++));
            }
            list.add(item);
        }
        others.subList(next, others.size()).forEach(list::add);
    }

    private static Map<JsonNode, Integer> places(ArrayNode list, String key) {
        Map<JsonNode, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            places.putIfAbsent(identity(list.get(i), key), i);
        }
        return places;
    }

    private static JsonNode identity(JsonNode item, String key) {
        return key.isEmpty() ? item : item.path(key);
    }
}
