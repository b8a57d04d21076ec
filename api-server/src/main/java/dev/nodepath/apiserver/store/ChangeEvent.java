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
 * @param object the object after the change; after a deletion its last state with the version of the deletion. Never
 *     change it
 * @param before the object before the change; empty when added
 * @param version the resourceVersion of the change
 * @param octets about the memory of the object; 0 if it was added before its listener subscribed
 */
public record ChangeEvent(
        Type type, Resource resource, ObjectNode object, Optional<ObjectNode> before, long version, long octets) {
    /** The type of a change, with the names of a watch. */
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
