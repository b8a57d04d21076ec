package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.Iterator;
import java.util.Optional;

/** Reads and writes {@code metadata.ownerReferences}. */
public final class Owners {
    private Owners() {}

    /** The reference to the one owner that manages an object. */
    public static Optional<JsonNode> controller(JsonNode object) {
        for (JsonNode each : references(object)) {
            if (each.path("controller").asBoolean(false)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** The key of the owner that manages an object, if it is of this kind. */
    public static Optional<ObjectKey> controller(JsonNode object, Resource kind) {
        return controller(object)
                .filter(each -> each.path("kind").asText().equals(kind.kind())
                        && each.path("apiVersion").asText().equals(kind.apiVersion()))
                .map(each ->
                        new ObjectKey(Meta.namespace(object), each.path("name").asText()));
    }

    /** Whether an object is managed by this owner. */
    public static boolean isControlledBy(JsonNode object, JsonNode owner) {
        return controller(object)
                .filter(each -> each.path("uid").asText().equals(Meta.uid(owner)))
                .isPresent();
    }

    /** Makes an owner manage an object. */
    public static void control(ObjectNode object, JsonNode owner) {
        ObjectNode reference = references(object, owner);
        reference.put("controller", true);
        reference.put("blockOwnerDeletion", true);
    }

    /** Removes the reference to an owner. */
    public static void release(ObjectNode object, String ownerUid) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        Iterator<JsonNode> each = metadata.withArrayProperty("ownerReferences").iterator();
        while (each.hasNext()) {
            if (each.next().path("uid").asText().equals(ownerUid)) {
                each.remove();
            }
        }
        if (references(object).isEmpty()) {
            metadata.remove("ownerReferences");
        }
    }

    /** The references to all owners. */
    public static JsonNode references(JsonNode object) {
        return object.path("metadata").path("ownerReferences");
    }

    private static ObjectNode references(ObjectNode object, JsonNode owner) {
        ArrayNode all = object.withObjectProperty("metadata").withArrayProperty("ownerReferences");
        return all.addObject()
                .put("apiVersion", owner.path("apiVersion").asText())
                .put("kind", owner.path("kind").asText())
                .put("name", Meta.name(owner))
                .put("uid", Meta.uid(owner));
    }
}
