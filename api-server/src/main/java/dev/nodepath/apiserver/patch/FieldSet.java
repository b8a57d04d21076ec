package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Paths of an object, and their form {@code fieldsV1} (structured-merge-diff): a tree of steps; {@code .} is the place
 * itself.
 */
final class FieldSet {
    private static final String ITSELF = ".";

    private FieldSet() {}

    static NavigableSet<FieldPath> read(JsonNode fields) {
        NavigableSet<FieldPath> paths = new TreeSet<>();
        read(fields, FieldPath.ROOT, paths);
        return paths;
    }

    static ObjectNode write(NavigableSet<FieldPath> paths) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        for (FieldPath path : paths) {
            ObjectNode node = root;
            for (String step : path.steps()) {
                node = node.withObjectProperty(step);
            }
            node.put(ITSELF, true);
        }
        markPlaces(root);
        return root;
    }

    private static void read(JsonNode fields, FieldPath path, NavigableSet<FieldPath> into) {
        if (fields.isEmpty() && !path.isEmpty()) {
            into.add(path);
        }
        for (Map.Entry<String, JsonNode> each : fields.properties()) {
            String step = each.getKey();
            if (step.equals(ITSELF)) {
                into.add(path);
            } else if (step.startsWith("f:") || step.startsWith("k:{") || step.startsWith("v:")) {
                read(each.getValue(), path.then(step), into);
            }
        }
    }

    /** A place without fields below is an empty object; a place with fields below has {@code "."}. */
    private static void markPlaces(ObjectNode node) {
        if (node.has(ITSELF)) {
            if (node.size() == 1) {
                node.remove(ITSELF);
            } else {
                node.putObject(ITSELF);
            }
        }
        for (Map.Entry<String, JsonNode> each : node.properties()) {
            if (!each.getKey().equals(ITSELF)) {
                markPlaces((ObjectNode) each.getValue());
            }
        }
    }
}
