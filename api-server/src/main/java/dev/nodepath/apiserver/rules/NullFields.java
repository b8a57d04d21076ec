package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Fields with null are absent, as in Kubernetes: {@code creationTimestamp: null} makes no other template. */
final class NullFields {
    private NullFields() {}

    /** Removes null fields, at any depth. */
    public static void remove(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            object.properties().removeIf(field -> field.getValue().isNull());
        }
        tree.forEach(NullFields::remove);
    }
}
