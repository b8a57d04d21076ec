package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;

/** A client's conditions on the stored object before a change or deletion: its version, its uid. */
final class Preconditions {
    /** The reason for refusing a change of an older state. */
    static final String MODIFIED =
            "the object has been modified; please apply your changes to the latest version and try again";

    private static final String METADATA = "metadata";

    private Preconditions() {}

    static void requireVersion(Resource resource, ObjectKey key, ObjectNode before, ObjectNode after) {
        String asked = after.path(METADATA).path("resourceVersion").asText("");
        if (!asked.isEmpty()
                && !asked.equals(before.path(METADATA).path("resourceVersion").asText())) {
            throw StatusException.conflict(resource, key.name(), MODIFIED);
        }
        String uid = after.path(METADATA).path("uid").asText("");
        if (!uid.isEmpty() && !uid.equals(before.path(METADATA).path("uid").asText())) {
            throw StatusException.conflict(
                    resource,
                    key.name(),
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + before.path(METADATA).path("uid").asText());
        }
    }

    static void requireSame(Resource resource, ObjectKey key, ObjectNode object, Deletion how) {
        String uid = object.path(METADATA).path("uid").asText();
        String version = object.path(METADATA).path("resourceVersion").asText();
        if (!how.uid().isEmpty() && !how.uid().equals(uid)) {
            throw StatusException.conflict(
                    resource,
                    key.name(),
                    "Precondition failed: UID in precondition: " + how.uid() + ", UID in object meta: " + uid);
        }
        if (!how.resourceVersion().isEmpty() && !how.resourceVersion().equals(version)) {
            throw StatusException.conflict(
                    resource,
                    key.name(),
                    "Precondition failed: ResourceVersion in precondition: " + how.resourceVersion()
                            + ", ResourceVersion in object meta: " + version);
        }
    }
}
