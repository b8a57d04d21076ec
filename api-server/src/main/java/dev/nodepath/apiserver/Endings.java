package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.Set;

/** Decides when a deleted object is gone: grace, finalizers, the contents of a Namespace. */
final class Endings {
    private static final String METADATA = "metadata";
    private static final String DELETION = "deletionTimestamp";

    private Endings() {}

    static void addFinalizer(ObjectNode object, String propagation) {
        String finalizer = switch (propagation) {
            case "Foreground" -> "foregroundDeletion";
            case "Orphan" -> "orphan";
            default -> "";
        };
        if (!finalizer.isEmpty()) {
            ArrayNode finalizers = object.withObjectProperty(METADATA).withArrayProperty("finalizers");
            for (JsonNode each : finalizers) {
                if (each.asText().equals(finalizer)) {
                    return;
                }
            }
            finalizers.add(finalizer);
        }
    }

    /** The seconds of grace after the mark; only a Pod that a kubelet runs has any. */
    static long grace(Resource resource, ObjectNode object, Deletion how) {
        boolean runs = resource.equals(Resources.PODS)
                && !object.path("spec").path("nodeName").asText("").isEmpty()
                && !Set.of("Succeeded", "Failed")
                        .contains(object.path("status").path("phase").asText(""));
        return runs
                ? how.graceSeconds()
                        .orElse(object.path("spec")
                                .path("terminationGracePeriodSeconds")
                                .asLong(30))
                : 0;
    }

    /** A Namespace goes when its controller has emptied it and removed {@code spec.finalizers}. */
    static boolean isNamespaceInUse(Resource resource, ObjectNode object) {
        return resource.equals(Resources.NAMESPACES)
                && !object.path("spec").path("finalizers").isEmpty();
    }

    /** Whether a marked object has lost its last finalizer. A Pod ends by a deletion without grace. */
    static boolean isFinished(ObjectNode object) {
        boolean namespace = object.path("kind").asText().equals("Namespace");
        JsonNode finalizers = namespace
                ? object.path("spec").path("finalizers")
                : object.path(METADATA).path("finalizers");
        return object.path(METADATA).has(DELETION)
                && object.path(METADATA).path("deletionGracePeriodSeconds").asLong(0) == 0
                && finalizers.isEmpty()
                && object.path(METADATA).path("finalizers").isEmpty();
    }
}
