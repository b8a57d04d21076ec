package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;

/** Creates and deletes the Pods of a set, and writes Events of the set about it. */
final class PodFactory {
    private final ClusterApi api;
    private final EventRecorder events;

    PodFactory(ClusterApi api, EventRecorder events) {
        this.api = api;
        this.events = events;
    }

    /** A Pod from the template of a set, without name. */
    static ObjectNode fromTemplate(JsonNode owner, JsonNode template) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("namespace", Meta.namespace(owner));
        copy(template.path("metadata"), "labels", metadata);
        copy(template.path("metadata"), "annotations", metadata);
        copy(template.path("metadata"), "finalizers", metadata);
        copy(template, "spec", pod);
        Owners.control(pod, owner);
        return pod;
    }

    void create(JsonNode owner, ObjectNode pod) {
        String name = Meta.name(pod);
        try {
            ObjectNode created = api.create(Resources.PODS, pod);
            events.normal(owner, "SuccessfulCreate", created(owner, Meta.name(created)));
        } catch (StatusException e) {
            events.warning(owner, "FailedCreate", failed(owner, name, e));
            throw e;
        }
    }

    /** Deletes a Pod with its own grace; an absent one is no failure. */
    void delete(JsonNode owner, JsonNode pod) {
        try {
            api.delete(Resources.PODS, ObjectKey.of(pod), Deletion.DEFAULT);
            events.normal(owner, "SuccessfulDelete", deleted(owner, Meta.name(pod)));
        } catch (StatusException e) {
            if (e.code() != 404) {
                throw e;
            }
        }
    }

    private static boolean isStateful(JsonNode owner) {
        return owner.path("kind").asText().equals("StatefulSet");
    }

    private static String created(JsonNode owner, String pod) {
        return isStateful(owner)
                ? "create Pod " + pod + " in StatefulSet " + Meta.name(owner) + " successful"
                : "Created pod: " + pod;
    }

    private static String deleted(JsonNode owner, String pod) {
        return isStateful(owner)
                ? "delete Pod " + pod + " in StatefulSet " + Meta.name(owner) + " successful"
                : "Deleted pod: " + pod;
    }

    private static String failed(JsonNode owner, String pod, StatusException error) {
        return isStateful(owner)
                ? "create Pod " + pod + " in StatefulSet " + Meta.name(owner) + " failed error: " + error.getMessage()
                : "Error creating: " + error.getMessage();
    }

    private static void copy(JsonNode from, String field, ObjectNode to) {
        if (from.has(field)) {
            to.set(field, from.get(field).deepCopy());
        }
    }
}
