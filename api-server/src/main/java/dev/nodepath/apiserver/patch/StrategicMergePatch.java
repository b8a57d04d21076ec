package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.Nodes;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.MergeKeys;
import dev.nodepath.apiserver.schema.Traits;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Kubernetes' own patch: a merge patch that knows which lists are merged, and by which field of their items. Directives:
 * {@code $patch} (replace, delete, merge), {@code $retainKeys}, {@code $deleteFromPrimitiveList/FIELD} and
 * {@code $setElementOrder/FIELD}.
 */
public final class StrategicMergePatch {
    private static final String PATCH = "$patch";
    private static final String RETAIN = "$retainKeys";
    private static final String DELETE_VALUES = "$deleteFromPrimitiveList/";
    private static final String ORDER = "$setElementOrder/";

    private StrategicMergePatch() {}

    /**
     * Changes an object of a kind.
     *
     * @throws StatusException 400 if a directive makes no sense
     */
    public static void apply(Resource resource, ObjectNode target, ObjectNode patch) {
        mergeObject(target, patch, MergeKeys.root(resource));
    }

    static void mergeObject(ObjectNode target, ObjectNode patch, String type) {
        switch (patch.path(PATCH).asText("merge")) {
            case "merge" -> {}
            case "replace" -> target.removeAll();
            case "delete" -> {
                target.removeAll();
                return;
            }
            default ->
                throw StatusException.badRequest(
                        "Unknown patch type found: " + patch.path(PATCH).asText());
        }
        retain(target, patch);
        Set<String> ordered = new HashSet<>();
        for (Map.Entry<String, JsonNode> field : patch.properties()) {
            String name = field.getKey();
            if (name.startsWith(DELETE_VALUES)) {
                deleteValues(target, name.substring(DELETE_VALUES.length()), field.getValue());
            } else if (name.startsWith(ORDER)) {
                ordered.add(name.substring(ORDER.length()));
            } else if (!name.equals(PATCH) && !name.equals(RETAIN)) {
                mergeField(target, name, field.getValue(), patch, type);
            }
        }
        ordered.removeIf(patch::has);
        for (String name : ordered) {
            if (target.get(name) instanceof ArrayNode list && patch.get(ORDER + name) instanceof ArrayNode order) {
                ListOrder.arrange(
                        list, list.deepCopy(), order, MergeKeys.of(type, name).mergeKey());
            }
        }
    }

    private static void mergeField(ObjectNode target, String name, JsonNode value, ObjectNode patch, String type) {
        if (value.isNull()) {
            target.remove(name);
        } else if (value instanceof ObjectNode inner) {
            ObjectNode into = target.get(name) instanceof ObjectNode present ? present : target.objectNode();
            mergeObject(into, inner, MergeKeys.child(type, name).orElse(""));
            target.set(name, into);
        } else if (value instanceof ArrayNode list) {
            Traits traits = MergeKeys.of(type, name);
            boolean merged = traits.merged() && target.get(name) instanceof ArrayNode;
            ArrayNode into = merged ? (ArrayNode) target.get(name) : target.arrayNode();
            ArrayNode before = into.deepCopy();
            if (!traits.merged()) {
                into.addAll(list);
            } else if (traits.mergeKey().isEmpty()) {
                addValues(into, list);
            } else {
                mergeList(
                        into,
                        list,
                        traits.mergeKey(),
                        MergeKeys.child(type, name).orElse(""));
            }
            if (patch.get(ORDER + name) instanceof ArrayNode order) {
                ListOrder.arrange(into, before, order, traits.mergeKey());
            }
            target.set(name, into);
        } else {
            target.set(name, value);
        }
    }

    private static void retain(ObjectNode target, ObjectNode patch) {
        if (!patch.has(RETAIN)) {
            return;
        }
        if (!(patch.get(RETAIN) instanceof ArrayNode keys)) {
            throw StatusException.badRequest(RETAIN + ": expected an array, found " + Nodes.typeOf(patch.get(RETAIN)));
        }
        Set<String> kept = new HashSet<>();
        keys.forEach(key -> kept.add(key.asText()));
        target.retain(kept);
    }

    private static void addValues(ArrayNode into, ArrayNode values) {
        for (JsonNode value : values) {
            boolean present = false;
            for (JsonNode each : into) {
                present |= each.equals(value);
            }
            if (!present) {
                into.add(value);
            }
        }
    }

    private static void deleteValues(ObjectNode target, String name, JsonNode values) {
        if (target.get(name) instanceof ArrayNode list) {
            Set<JsonNode> gone = new HashSet<>();
            values.forEach(gone::add);
            List<JsonNode> kept = new java.util.ArrayList<>();
            list.forEach(kept::add);
            kept.removeIf(gone::contains);
            list.removeAll();
            list.addAll(kept);
        }
    }

    private static void mergeList(ArrayNode into, ArrayNode patch, String key, String type) {
        for (JsonNode item : patch) {
            if (item.path(PATCH).asText().equals("replace") && !item.has(key)) {
                into.removeAll();
            }
        }
        for (JsonNode item : patch) {
            if (!(item instanceof ObjectNode object)) {
                throw StatusException.badRequest(
                        "expected objects with the merge key " + key + ", found " + Nodes.typeOf(item));
            }
            boolean replacesAll = object.path(PATCH).asText().equals("replace") && !object.has(key);
            if (!replacesAll) {
                mergeItem(into, object, key, type);
            }
        }
    }

    private static void mergeItem(ArrayNode into, ObjectNode item, String key, String type) {
        if (!item.has(key)) {
            throw StatusException.badRequest("map: " + item + " does not contain declared merge key: " + key);
        }
        Optional<ObjectNode> present = ListOrder.find(into, key, item.get(key));
        if (item.path(PATCH).asText().equals("delete")) {
            for (int i = into.size() - 1; i >= 0; i--) {
                if (item.get(key).equals(into.get(i).path(key))) {
                    into.remove(i);
                }
            }
            return;
        }
        ObjectNode target = present.orElseGet(into::addObject);
        mergeObject(target, item, type);
    }
}
