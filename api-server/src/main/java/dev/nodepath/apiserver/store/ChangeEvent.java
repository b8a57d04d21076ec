package dev.nodepath.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.Optional;

/**
 * One change of one object.
 *
 * @param type what happened
 * @param resource the kind
 * @param object the object after the change; when deleted, its last state with the version of the deletion. Never
 *     change it
 * @param before the object before the change; empty when added
 * @param version the resourceVersion of the change
 * @param octets what the object takes in memory, about; 0 when added because it was there before its listener
 */
public record ChangeEvent(
        Type type, Resource resource, ObjectNode object, Optional<ObjectNode> before, long version, long octets) {
    /** What happened, with the names of a watch. */
    public enum Type {
        ADDED,
        MODIFIED,
        DELETED
    }

    /** The key of the object. */
    public ObjectKey key() {
        return ObjectKey.of(object);
    }
}
