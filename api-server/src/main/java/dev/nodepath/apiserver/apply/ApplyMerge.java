package dev.nodepath.apiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.MergeKeys;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;

/** Puts what is applied into an object, and takes fields out of it. */
final class ApplyMerge {
    private ApplyMerge() {}

    static void merge(Resource resource, ObjectNode object, ObjectNode applied) {
        mergeObject(MergeKeys.root(resource), object, applied);
    }

    /** Takes out fields, and lists and objects that become empty by it. */
    static void remove(ObjectNode object, NavigableSet<FieldPath> gone) {
        // From the end, so that what is below a place goes before the place itself. An item goes as a whole: without
        // its
        // keys it would not be found.
        gone.stream()
                .filter(path -> !isBelowItem(path, gone))
                .sorted(Comparator.reverseOrder())
                .forEach(path -> removeOne(object, path));
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
        for (JsonNode value : values) {
            if (ObjectFields.position(list, ObjectFields.valueStep(value)) < 0) {
                list.add(value);
            }
        }
    }

    private static void mergeItems(String type, String name, ArrayNode list, JsonNode items) {
        for (JsonNode item : items) {
            int position = ObjectFields.position(list, ObjectFields.itemStep(type, name, item));
            if (position >= 0 && list.get(position) instanceof ObjectNode present && item instanceof ObjectNode from) {
                mergeObject(ObjectFields.childType(type, name), present, from);
            } else {
                list.add(item);
            }
        }
    }

    private static void removeOne(ObjectNode object, FieldPath path) {
        JsonNode parent = ObjectFields.at(object, path.parent());
        String step = path.last();
        if (parent instanceof ObjectNode fields && step.startsWith("f:")) {
            fields.remove(step.substring(2));
        } else if (parent instanceof ArrayNode list) {
            int position = ObjectFields.position(list, step);
            if (position >= 0) {
                list.remove(position);
            }
        }
        boolean emptied =
                parent != null && parent.isEmpty() && path.parent().steps().size() > 1;
        if (emptied && path.parent().last().startsWith("f:")) {
            removeOne(object, path.parent());
        }
    }
}
