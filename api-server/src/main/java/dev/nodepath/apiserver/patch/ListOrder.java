package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The order of a merged list: items of the patch are in its order; each other item stays before its successors. */
final class ListOrder {
    private ListOrder() {}

    /**
     * Sorts a list.
     *
     * @param before the list before the patch
     * @param order items, or objects with only their key, in the client's order
     * @param key empty for a list of plain values
     */
    static void arrange(ArrayNode list, ArrayNode before, ArrayNode order, String key) {
        Map<String, Integer> places = places(before, key);
        Map<String, Integer> wanted = places(order, key);
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

    private static Map<String, Integer> places(ArrayNode list, String key) {
        Map<String, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            places.putIfAbsent(identity(list.get(i), key), i);
        }
        return places;
    }

    /** The identity is a text, because a map of texts stays fast even if their hashes are chosen to collide. */
    static String identity(JsonNode item, String key) {
        return String.valueOf(key.isEmpty() ? item : item.path(key));
    }
}
