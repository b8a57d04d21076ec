package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.MergeKeys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;

/** Puts an applied configuration into an object, and takes fields out of it. */
final class ApplyMerge {
    private ApplyMerge() {}

    static void merge(Resource resource, ObjectNode object, ObjectNode applied) {
        mergeObject(MergeKeys.root(resource), object, applied);
    }

    /** Takes out fields, and the lists and objects that become empty. */
    static void remove(ObjectNode object, NavigableSet<FieldPath> gone) {
        FieldLookup lookup = new FieldLookup(object);
        Map<FieldPath, Set<JsonNode>> items = new TreeMap<>(Comparator.reverseOrder());
        // In reverse order, so that the fields below a place go before the place itself. An item is removed as a
        // whole: without its keys it could not be found.
        gone.stream()
                .filter(path -> !isBelowItem(path, gone))
                .sorted(Comparator.reverseOrder())
                .forEach(path -> {
                    JsonNode value = lookup.at(path);
                    if (path.last().startsWith("f:")) {
                        removeField(lookup, path);
                    } else if (value != null) {
                        items.computeIfAbsent(path.parent(), each -> Collections.newSetFromMap(new IdentityHashMap<>()))
                                .add(value);
                    }
                });
        items.forEach((path, these) -> removeItems(lookup, path, these));
    }

    private static void removeItems(FieldLookup lookup, FieldPath path, Set<JsonNode> gone) {
        if (lookup.at(path) instanceof ArrayNode list) {
            List<JsonNode> kept = new ArrayList<>();
            list.forEach(item -> {
                if (!gone.contains(item)) {
                    kept.add(item);
                }
            });
            list.removeAll().addAll(kept);
            removeIfEmpty(lookup, path, list);
        }
    }

    private static void removeField(FieldLookup lookup, FieldPath path) {
        if (lookup.at(path.parent()) instanceof ObjectNode parent) {
            parent.remove(path.last().substring(2));
            removeIfEmpty(lookup, path.parent(), parent);
        }
    }

    private static void removeIfEmpty(FieldLookup lookup, FieldPath path, JsonNode emptied) {
        if (emptied.isEmpty() && path.steps().size() > 1 && path.last().startsWith("f:")) {
            removeField(lookup, path);
        }
    }

    private static boolean isBelowItem(FieldPath path, NavigableSet<FieldPath> gone) {
        for (FieldPath above = path; above.steps().size() > 1; ) {
            above = above.parent();
            if (above.last().startsWith("k:") && gone.contains(above)) {
                return true;
            }
        }
        return false;
    }

    private static void mergeObject(String type, ObjectNode object, ObjectNode applied) {
        for (Map.Entry<String, JsonNode> field : applied.properties()) {
            String name = field.getKey();
            JsonNode value = field.getValue();
            JsonNode present = object.path(name);
            switch (ObjectFields.division(type, name, value)) {
                case WHOLE -> object.set(name, value);
                case FIELDS ->
                    mergeObject(
                            ObjectFields.childType(type, name),
                            present instanceof ObjectNode known ? known : object.putObject(name),
                            (ObjectNode) value);
                case VALUES -> mergeValues(present instanceof ArrayNode list ? list : object.putArray(name), value);
                case ITEMS ->
                    mergeItems(type, name, present instanceof ArrayNode list ? list : object.putArray(name), value);
            }
        }
    }

    private static void mergeValues(ArrayNode list, JsonNode values) {
        Set<String> present = new HashSet<>();
        list.forEach(value -> present.add(ObjectFields.valueStep(value)));
        for (JsonNode value : values) {
            if (present.add(ObjectFields.valueStep(value))) {
                list.add(value);
            }
        }
    }

    private static void mergeItems(String type, String name, ArrayNode list, JsonNode items) {
        Map<String, JsonNode> present = new HashMap<>();
        list.forEach(item -> present.putIfAbsent(ObjectFields.itemStep(type, name, item), item));
        for (JsonNode item : items) {
            String step = ObjectFields.itemStep(type, name, item);
            if (present.get(step) instanceof ObjectNode known && item instanceof ObjectNode from) {
                mergeObject(ObjectFields.childType(type, name), known, from);
            } else {
                list.add(item);
                present.putIfAbsent(step, item);
            }
        }
    }
}
