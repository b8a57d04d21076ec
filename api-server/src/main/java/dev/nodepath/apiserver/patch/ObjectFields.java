package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.FieldType;
import dev.nodepath.apiserver.schema.MergeKeys;
import dev.nodepath.apiserver.schema.Traits;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The fields of an object that can have owners, and their values. */
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

    /** The division of a value among owners. */
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

    /** The type of the fields below a field; in a map the values have this type under every name. */
    static String childType(String type, String field) {
        return MergeKeys.child(type, field).orElse("");
    }

    /** The step to an object of a list. An absent key has its default. */
    static String itemStep(String type, String field, JsonNode item) {
        List<String> names =
                MergeKeys.of(type, field).listKeys().stream().sorted().toList();
        return "k:" + FieldLookup.keysOf(item, names);
    }

    static String valueStep(JsonNode value) {
        return "v:" + value;
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
