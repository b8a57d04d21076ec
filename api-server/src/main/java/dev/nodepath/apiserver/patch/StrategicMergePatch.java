package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.Nodes;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.MergeKeys;
import dev.nodepath.apiserver.schema.Traits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Kubernetes' own patch: a merge patch that knows the merged lists and the key of their items. Directives: {@code
 * $patch} (replace, delete, merge), {@code $retainKeys}, {@code $deleteFromPrimitiveList/FIELD} and {@code
 * $setElementOrder/FIELD}.
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
            boolean present = target.get(name) instanceof ArrayNode;
            ArrayNode into = traits.merged() && present ? (ArrayNode) target.get(name) : target.arrayNode();
            ArrayNode before = into.deepCopy();
            if (!traits.merged()) {
                into.addAll(list);
            } else if (!present) {
                takeList(into, list, MergeKeys.child(type, name).orElse(""));
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
        Set<String> present = new HashSet<>();
        into.forEach(each -> present.add(ListOrder.identity(each, "")));
        for (JsonNode value : values) {
            if (present.add(ListOrder.identity(value, ""))) {
                into.add(value);
            }
        }
    }

    private static void deleteValues(ObjectNode target, String name, JsonNode values) {
        if (target.get(name) instanceof ArrayNode list) {
            Set<String> gone = new HashSet<>();
            values.forEach(value -> gone.add(ListOrder.identity(value, "")));
            keep(list, value -> !gone.contains(ListOrder.identity(value, "")));
        }
    }

    /** A list that the object lacks is taken as a whole, even if two items have the same key. Directives go. */
    private static void takeList(ArrayNode into, ArrayNode patch, String type) {
        for (JsonNode item : patch) {
            if (!(item instanceof ObjectNode object)) {
                into.add(item);
                continue;
            }
            String directive = object.path(PATCH).asText();
            boolean says = directive.equals("delete") || (directive.equals("replace") && object.size() == 1);
            if (!says) {
                mergeObject(into.addObject(), object, type);
            }
        }
    }

    /** Items are found by their key. Deletions come last, all at once. */
    private static void mergeList(ArrayNode into, ArrayNode patch, String key, String type) {
        for (JsonNode item : patch) {
            if (item.path(PATCH).asText().equals("replace") && !item.has(key)) {
                into.removeAll();
            }
        }
        Map<String, ObjectNode> present = new HashMap<>();
        for (JsonNode item : into) {
            if (item instanceof ObjectNode object && object.has(key)) {
                present.putIfAbsent(ListOrder.identity(object, key), object);
            }
        }
        Set<String> gone = new HashSet<>();
        Set<JsonNode> added = Collections.newSetFromMap(new IdentityHashMap<>());
        for (JsonNode item : patch) {
            if (!(item instanceof ObjectNode object)) {
                throw StatusException.badRequest(
                        "expected objects with the merge key " + key + ", found " + Nodes.typeOf(item));
            }
            String directive = object.path(PATCH).asText();
            if (!object.has(key)) {
                if (directive.equals("replace")) {
                    continue;
                }
                throw StatusException.badRequest("map: " + item + " does not contain declared merge key: " + key);
            }
            String identity = ListOrder.identity(object, key);
            if (directive.equals("delete")) {
                gone.add(identity);
                present.remove(identity);
            } else {
                ObjectNode target = present.computeIfAbsent(identity, absent -> {
                    ObjectNode fresh = into.addObject();
                    added.add(fresh);
                    return fresh;
                });
                mergeObject(target, object, type);
            }
        }
        keep(into, item -> added.contains(item) || !gone.contains(ListOrder.identity(item, key)));
    }

    private static void keep(ArrayNode list, Predicate<JsonNode> kept) {
        List<JsonNode> rest = new ArrayList<>();
        list.forEach(each -> {
            if (kept.test(each)) {
                rest.add(each);
            }
        });
        list.removeAll();
        list.addAll(rest);
    }
}
