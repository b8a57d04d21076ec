package dev.nodepath.apiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.FieldType;
import dev.nodepath.apiserver.schema.MergeKeys;
import dev.nodepath.apiserver.schema.Traits;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The fields that an object has and that somebody can own, and their values. */
final class ObjectFields {
    private static final Set<String> NOT_OWNED = Set.of("apiVersion", "kind");
    private static final Set<String> NOT_OWNED_METADATA = Set.of(
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "generation",
            "managedFields",
            "selfLink",
            "generateName",
            "deletionTimestamp",
            "deletionGracePeriodSeconds");

    private ObjectFields() {}

    /** How a value is divided among owners. */
    enum Division {
        WHOLE,
        FIELDS,
        ITEMS,
        VALUES
    }

    static NavigableSet<FieldPath> of(Resource resource, ObjectNode object) {
        NavigableSet<FieldPath> paths = new TreeSet<>();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            if (!NOT_OWNED.contains(field.getKey())) {
                addField(MergeKeys.root(resource), field, FieldPath.ROOT, paths);
            }
        }
        paths.removeIf(path -> path.steps().get(0).equals("f:metadata")
                && (path.steps().size() == 1
                        || NOT_OWNED_METADATA.contains(path.steps().get(1).substring(2))));
        return paths;
    }

    static Division division(String type, String field, JsonNode value) {
        Traits traits = MergeKeys.of(type, field);
        if (value instanceof ArrayNode) {
            return switch (traits.ownership()) {
                case SET -> Division.VALUES;
                case MAP -> Division.ITEMS;
                default -> Division.WHOLE;
            };
        }
        boolean known = MergeKeys.child(type, field).isPresent()
                || MergeKeys.container(type, field).equals(Optional.of(FieldType.Container.MAP));
        return value instanceof ObjectNode && known && traits.ownership() != Traits.Ownership.ATOMIC
                ? Division.FIELDS
                : Division.WHOLE;
    }

    /** The type that the fields of a field's value have; a map's values have their type by every name. */
    static String childType(String type, String field) {
        return MergeKeys.child(type, field).orElse("");
    }

    /** The step to an object of a list. A key that it leaves out counts with its default. */
    static String itemStep(String type, String field, JsonNode item) {
        ObjectNode keys = JsonNodeFactory.instance.objectNode();
        MergeKeys.of(type, field).listKeys().stream().sorted().forEach(key -> {
            JsonNode value = item.path(key);
            if (!value.isMissingNode()) {
                keys.set(key, value);
            } else if (key.equals("protocol")) {
                keys.put(key, "TCP");
            }
        });
        return "k:" + keys;
    }

    static String valueStep(JsonNode value) {
        return "v:" + value;
    }

    /** The value at a place; null if there is none. */
    static @Nullable JsonNode at(ObjectNode object, FieldPath path) {
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

    /** The position of the item that a step names; -1 if there is none. */
    static int position(JsonNode list, String step) {
        JsonNode named = FieldPath.json(step);
        for (int i = 0; i < list.size(); i++) {
            if (step.startsWith("v:") ? list.get(i).equals(named) : hasKeys(list.get(i), named)) {
                return i;
            }
        }
        return -1;
    }

    private static @Nullable JsonNode item(JsonNode list, String step) {
        int position = position(list, step);
        return position < 0 ? null : list.get(position);
    }

    private static boolean hasKeys(JsonNode item, JsonNode keys) {
        for (Map.Entry<String, JsonNode> key : keys.properties()) {
            boolean isDefault = key.getKey().equals("protocol")
                    && !item.has("protocol")
                    && key.getValue().asText().equals("TCP");
            if (!isDefault && !key.getValue().equals(item.path(key.getKey()))) {
                return false;
            }
        }
        return true;
    }

    private static void addField(
            String type, Map.Entry<String, JsonNode> field, FieldPath parent, NavigableSet<FieldPath> into) {
        String name = field.getKey();
        JsonNode value = field.getValue();
        FieldPath path = parent.field(name);
        String child = childType(type, name);
        switch (division(type, name, value)) {
            case WHOLE -> into.add(path);
            case FIELDS -> addObject(type, name, child, value, path, into);
            case VALUES -> value.forEach(each -> into.add(path.then(valueStep(each))));
            case ITEMS -> {
                for (JsonNode item : value) {
                    FieldPath place = path.then(itemStep(type, name, item));
                    into.add(place);
                    item.properties().forEach(each -> addField(child, each, place, into));
                }
            }
        }
    }

    private static void addObject(
            String type, String name, String child, JsonNode value, FieldPath path, NavigableSet<FieldPath> into) {
        if (value.isEmpty()) {
            into.add(path);
        }
        boolean map = MergeKeys.container(type, name).equals(Optional.of(FieldType.Container.MAP));
        for (Map.Entry<String, JsonNode> each : value.properties()) {
            if (map) {
                into.add(path.field(each.getKey()));
            } else {
                addField(child, each, path, into);
            }
        }
    }
}
