package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** JSON merge patch (RFC 7386). */
public final class MergePatch {
    private MergePatch() {}

    /** Changes a tree: null removes, objects are merged, all else replaces. */
    public static void apply(ObjectNode target, ObjectNode patch) {
        for (Map.Entry<String, JsonNode> field : patch.properties()) {
            String name = field.getKey();
            if (field.getValue().isNull()) {
                target.remove(name);
            } else if (field.getValue() instanceof ObjectNode inner) {
                ObjectNode into = target.get(name) instanceof ObjectNode present ? present : target.putObject(name);
                apply(into, inner);
            } else {
                target.set(name, field.getValue());
            }
        }
    }
}
